import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from './start.ts'

export type Language = keyof typeof languages

/** Helpers for clients in each language: `ask` returns status and body, `note` is a file that survives until a rerun. */
const languages = {
  node: {
    file: 'client.cjs',
    // Loading `fetch` takes as long as starting Node. test/slow/sweep.test.ts tests `fetch` with faults.
    prelude: `const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { request } = require('node:http')
const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password, PROXYSIM_RUN_DIR: folder } = process.env
const note = folder + '/note'
const headers = {
  authorization: 'Basic ' + btoa(login + ':' + password),
  accept: 'application/json',
  'content-type': 'application/json',
}
async function ask(method, path, body, timeout = 60_000) {
  const asked = request(url + path, { method, headers, signal: AbortSignal.timeout(timeout) })
  const response = await new Promise((resolve, reject) => {
    asked.on('response', resolve).on('error', reject).end(body && JSON.stringify(body))
  })
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, body: JSON.parse(text) }
}
const order = (more) => ask('POST', '/api/product/101', { clientid: 11, ...more })
function need(isFine, what) { if (!isFine) { console.error('failed:', what); process.exit(1) } }
void (async () => {
`,
    end: '\n})()',
  },
  python3: {
    file: 'client.py',
    prelude: `import base64, http.client, json, os, sys, time, urllib.error, urllib.request
env = os.environ
note = env['PROXYSIM_RUN_DIR'] + '/note'
login = base64.b64encode(f"{env['PROXYSIM_LOGIN']}:{env['PROXYSIM_PASSWORD']}".encode()).decode()
headers = {'Authorization': 'Basic ' + login, 'Accept': 'application/json', 'Content-Type': 'application/json'}
def ask(method, path, body=None, timeout=60):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(env['PROXYSIM_URL'] + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, json.loads(response.read()), response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers
def order(**more):
    return ask('POST', '/api/product/101', {'clientid': 11, **more})
def need(is_fine, what):
    if not is_fine: sys.exit(f'failed: {what}')
`,
    end: '',
  },
  php: {
    file: 'client.php',
    prelude: String.raw`<?php
$note = getenv('PROXYSIM_RUN_DIR') . '/note';
function ask(string $method, string $path, ?array $body = null): array {
    $curl = curl_init(getenv('PROXYSIM_URL') . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ['Accept: application/json', 'Content-Type: application/json'],
        CURLOPT_USERPWD => getenv('PROXYSIM_LOGIN') . ':' . getenv('PROXYSIM_PASSWORD'),
        CURLOPT_RETURNTRANSFER => true,
    ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body)]));
    $text = curl_exec($curl);
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $text === false ? null : json_decode($text, true)];
}
function order(): array { return ask('POST', '/api/product/101', ['clientid' => 11]); }
function need(bool $isFine, string $what): void { if (!$isFine) { fwrite(STDERR, "failed: $what\n"); exit(1); } }
`,
    end: '',
  },
}

export function hasLanguage(language: Language): boolean {
  return spawnSync(language, ['--version']).status === 0
}

/** Path of the interpreter itself. The command on the PATH may be a script that searches for it at each start. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)']).stdout?.toString().trim()

const interpreters: Record<Language, string[]> = {
  node: [process.execPath],
  // The clients need no site packages, and finding them takes as long as running the client.
  python3: [python, '-I', '-S'],
  php: ['php'],
}

/** Returns the command that runs a client written in one of three languages. */
export function createClient(language: Language, program: string): string[] {
  const { file, prelude, end } = languages[language]
  const path = join(createFolder(), file)
  writeFileSync(path, `${prelude}${program}${end}\n`)
  return [...interpreters[language], path]
}
