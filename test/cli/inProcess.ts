import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { endSignals } from '../../src/lib/signals.ts'
import { run } from '../../src/cli/run.ts'
import { createFolder } from '../support/start.ts'

export interface Result {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs the command line in this process, as `cli.ts` does. Commands that it starts are real processes.
 * @param onPrinted called after each output with all of standard output so far
 */
export async function cli(
  args: readonly string[],
  env: Record<string, string> = {},
  onPrinted: (stdout: string) => void = () => {},
): Promise<Result> {
  const before = { ...process.env }
  const listeners = endSignals.map((signal) => process.listeners(signal))
  Object.assign(process.env, env)
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      onPrinted(printed.stdout)
      return true
    }),
  )
  try {
    await run(args)
    return { code: Number(process.exitCode ?? 0), ...printed }
  } finally {
    process.exitCode = undefined
    for (const [i, signal] of endSignals.entries())
      for (const one of process.listeners(signal)) if (!listeners[i]?.includes(one)) process.off(signal, one)
    for (const spy of spies) spy.mockRestore()
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** Serves in this process until `work` ends, then stops as on a signal. @returns the output */
export async function whileServing(
  args: readonly string[],
  work: (url: string) => Promise<unknown> = async () => {},
  env: Record<string, string> = {},
): Promise<string> {
  let working: Promise<unknown> | undefined
  const { stdout, ...rest } = await cli(args, env, (printed) => {
    const [url] = /https?:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    if (url !== undefined) working ??= work(url).finally(() => process.emit('SIGTERM', 'SIGTERM'))
  })
  await working
  expect(rest).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** The result of a usage error: one line on standard error that contains the text, no other output, exit code 2. */
export function usageError(text: string): object {
  return {
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^proxysim: [^\n]*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[^\n]*\n$`),
    ) as string,
  }
}

/**
 * Creates a client of the simulator at PROXYSIM_URL. Its `ask` resolves with {status, headers, body}; it doesn't use `fetch`, which takes
 * three times as much processor time to start.
 * @returns its command
 */
export function createClient(program: string): string[] {
  const file = join(createFolder(), 'client.mjs')
  writeFileSync(
    file,
    `const { PROXYSIM_URL, PROXYSIM_LOGIN, PROXYSIM_PASSWORD } = process.env
const headers = {
  authorization: 'Basic ' + btoa(PROXYSIM_LOGIN + ':' + PROXYSIM_PASSWORD),
  accept: 'application/json',
  'content-type': 'application/json',
}
const { request } = await import(PROXYSIM_URL.startsWith('https:') ? 'node:https' : 'node:http')
function ask(method, path, body, sent = headers) {
  return new Promise((resolve, reject) => {
    const read = async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      return { status: response.statusCode, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
    }
    request(PROXYSIM_URL + path, { method, headers: sent }, (response) => read(response).then(resolve, reject))
      .on('error', reject)
      .end(body && JSON.stringify(body))
  })
}
${program}
`,
  )
  return [process.execPath, file]
}
