import type { ApiRequest } from './ApiRequest.ts'

/** A script for PHP, with its curl extension. */
export function php({ method, url, user, headers, body }: ApiRequest): string {
  return [
    '<?php',
    `$curl = curl_init(${quote(url)});`,
    'curl_setopt_array($curl, [',
    // A body makes a POST of it unless the method is told.
    ...(method === 'GET' && body === undefined ? [] : [`    CURLOPT_CUSTOMREQUEST => ${quote(method)},`]),
    ...(user === undefined ? [] : [`    CURLOPT_USERPWD => ${quote(user)},`]),
    '    CURLOPT_HTTPHEADER => [',
    ...Object.entries(headers).map(([name, value]) => `        ${quote(`${name}: ${value}`)},`),
    '    ],',
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${quote(body)},`]),
    ...(method === 'HEAD' ? ['    CURLOPT_NOBODY => true,'] : []),
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    '$body = curl_exec($curl);',
    "echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), ' ', $body, PHP_EOL;",
  ].join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
