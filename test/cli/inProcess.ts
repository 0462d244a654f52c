import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { folder } from '../support/start.ts'

export interface Result {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command line in this process, as `cli.ts` does. Commands that it starts are real processes. */
export async function cli(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const before = { ...process.env }
  Object.assign(process.env, env)
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  try {
    await run(args)
    return { code: Number(process.exitCode ?? 0), ...printed }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** What every mistake of usage ends in: one line on standard error, nothing else, exit 2. */
export function refused(text: string): object {
  return {
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^proxysim: [^\n]*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[^\n]*\n$`),
    ) as string,
  }
}

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
