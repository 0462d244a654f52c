import { expect, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'

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
