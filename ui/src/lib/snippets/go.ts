import type { ApiRequest } from './ApiRequest.ts'

/** A program for Go, with its standard library. */
export function go({ method, url, user, headers, body }: ApiRequest): string {
  const at = user?.indexOf(':') ?? 0
  return [
    'package main',
    '',
    'import (',
    '\t"fmt"',
    '\t"io"',
    '\t"net/http"',
    ...(body === undefined ? [] : ['\t"strings"']),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${body === undefined ? 'nil' : `strings.NewReader(${quote(body)})`})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    ...(user === undefined
      ? []
      : [`\trequest.SetBasicAuth(${quote(user.slice(0, at))}, ${quote(user.slice(at + 1))})`]),
    ...Object.entries(headers).map(
      ([name, value]) => `\trequest.Header.Set(${quote(name)}, ${quote(value)})`,
    ),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tbody, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(response.StatusCode, string(body))',
    '}',
  ].join('\n')
}

/** Raw where that reads better; JSON's texts are Go's too. */
function quote(text: string): string {
  return /["\n]/.test(text) && !/[`\r]/.test(text) ? `\`${text}\`` : JSON.stringify(text)
}
