import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** The script behind `npm start` and `npx proxysim` */
export const bin = fileURLToPath(new URL('../../bin/proxysim.mjs', import.meta.url))

export interface Output {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  /** A program other than the command line */
  program?: readonly string[]
}

/** Runs the command line as users do. */
export function proxysim(args: readonly string[], options: RunOptions = {}): Promise<Output> {
  return launch(args, options).ended
}

export interface LaunchedProcess {
  child: ChildProcess
  ended: Promise<Output>
  /** Resolves with the first match in standard output. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>
}

/** Starts the command line without waiting for its end. It is killed at the end of the test. */
export function launch(
  args: readonly string[],
  { env = {}, cwd, program = [process.execPath, cli] }: RunOptions = {},
): LaunchedProcess {
  const [command = '', ...words] = [...program, ...args]
  const child = spawn(command, words, {
    // Only the variables that programs need, because others, such as PORT, would affect the test
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    ...(cwd !== undefined && { cwd }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  const checks = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const check of checks) check()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Output>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout)
        if (match) resolve(match)
      }
      checks.add(look)
      look()
      void ended.then((output) => reject(new Error(`It exited before: ${JSON.stringify(output)}`)))
    })
  return { child, ended, printed }
}

/** Whether `script` of util-linux is installed, which runs a command in a terminal */
export const hasTerminal =
  spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

/** Starts the command line in a terminal, where output and errors are combined. */
export function launchInTerminal(command: string): LaunchedProcess {
  const words = `exec "${process.execPath}" "${cli}" ${command}`
  return launch(['-qefc', words, '/dev/null'], { program: ['script'], env: { TERM: 'xterm' } })
}

/** Waits until a simulator prints its URL. */
export async function waitForUrl(launched: LaunchedProcess): Promise<string> {
  const [url] = await launched.printed(/http:\/\/127\.0\.0\.1:\d+/)
  return url
}
