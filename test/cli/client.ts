import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../support/start.ts'

/** A client to be tested: a program that calls a simulator as its environment says; `ask` gives {status, body}. */
export function client(program: string): string[] {
  const file = join(folder(), 'client.mjs')
  writeFileSync(
    file,
    `const { PROXYSIM_URL, PROXYSIM_LOGIN, PROXYSIM_PASSWORD } = process.env
const headers = {
  authorization: 'Basic ' + btoa(PROXYSIM_LOGIN + ':' + PROXYSIM_PASSWORD),
  accept: 'application/json',
  'content-type': 'application/json',
}
async function ask(method, path, body) {
  const reply = await fetch(PROXYSIM_URL + path, { method, headers, body: body && JSON.stringify(body) })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
}
${program}
`,
  )
  return [process.execPath, file]
}
