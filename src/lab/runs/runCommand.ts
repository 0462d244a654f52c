import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import spawn from 'cross-spawn'
import { endSignals, toExitCode } from '../../lib/signals.ts'
import { shellQuote } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { Output } from './Output.ts'

export interface CommandOptions {
  /** Variables to add to our own environment */
  env: Record<string, string>
  /**
   * Destination of the command's standard output. With `captured`, its standard error is captured too, it gets no input, and its
   * remaining processes are killed when it exits. @default 'inherit'
   */
  stdout?: 'inherit' | 'stderr' | 'captured'
  /** Time limit in milliseconds. @default none */
  timeout?: number
  /** Called when the time is up. @returns milliseconds by which the time limit is extended, once */
  extension?: () => number
  /** Kills the command and its child processes when aborted; with the reason `stuck`, as if the time was up. Requires captured output */
  kill?: AbortSignal
  /** Source of signals to forward */
  signals: Signals
}

export interface CommandResult {
  /** Exit code as in a shell: 128 plus the signal's number if a signal ended the command */
  exitCode: number
  timedOut: boolean
  durationMs: number
  /** The last megabyte of captured output, without terminal escapes */
  printed: string
}

/** Milliseconds that a command has to exit after a signal */
const exitGracePeriod = 5000

/** Milliseconds to wait for remaining output after the exit, because another process may keep the pipe open. */
const outputGracePeriod = 1000

/** Runs a command, and forwards signals to it. @throws UserError if it can't be started */
export async function runCommand(
  command: readonly string[],
  { env, stdout = 'inherit', timeout, extension = () => 0, kill, signals }: CommandOptions,
): Promise<CommandResult> {
  const [program, ...words] = command
  if (!program)
    throw new UserError('The command is empty.', { advice: 'Put it after --, such as: -- npm test' })
  const isCaptured = stdout === 'captured'
  const isOwnGroup = isCaptured && process.platform !== 'win32'
  const began = performance.now()
  // On Windows, finds `npx.cmd` as a shell would.
  const child = spawn(program, words, {
    env: { ...process.env, ...env },
    stdio: isCaptured
      ? ['ignore', 'pipe', 'pipe']
      : ['inherit', stdout === 'stderr' ? 2 : 'inherit', 'inherit'],
    detached: isOwnGroup,
  })
  const output = new Output()
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => output.add(text))

  const send = (signal: NodeJS.Signals) => sendSignal(child, isOwnGroup, signal)
  const timers: NodeJS.Timeout[] = []
  const after = (ms: number, act: () => void): void => void timers.push(setTimeout(act, ms))
  /** Signals the command, and kills it if it doesn't exit. */
  const end = (signal: NodeJS.Signals): void => {
    send(signal)
    after(exitGracePeriod, () => send('SIGKILL'))
  }
  const forward = (signal: NodeJS.Signals): void => {
    // In a terminal, Ctrl-C and Ctrl-\ reach the command directly, even if its input and output are redirected, unless it is in a
    // process group of its own.
    if (isOwnGroup) end(signal)
    else if (!/^SIG(INT|QUIT)$/.test(signal) || ![0, 1, 2].some((stream) => isatty(stream))) send(signal)
  }
  signals.on('signal', forward)
  let timedOut = false
  const stop = (more = 0): void => {
    if (more > 0) return after(more, stop)
    timedOut = true
    end('SIGTERM')
  }
  const onKill = (): void => (kill?.reason === 'stuck' ? stop() : send('SIGKILL'))
  kill?.addEventListener('abort', onKill)
  if (timeout !== undefined) after(timeout, () => stop(extension()))
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        if (isOwnGroup) send('SIGKILL') // a remaining process could interfere with the next run
        child.once('close', () => resolve(code ?? toExitCode(signal ?? 'SIGKILL')))
        after(outputGracePeriod, () => [child.stdout, child.stderr].map((stream) => stream?.destroy()))
      })
    })
    return { exitCode, timedOut, durationMs: Math.round(performance.now() - began), printed: output.text }
  } catch (cause) {
    throw createStartError(command, cause as NodeJS.ErrnoException)
  } finally {
    signals.off('signal', forward)
    kill?.removeEventListener('abort', onKill)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Signals a process, or all processes of its group. */
function sendSignal(child: ChildProcess, isOwnGroup: boolean, signal: NodeJS.Signals): void {
  try {
    if (isOwnGroup && child.pid !== undefined) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // It has already exited.
  }
}

/** Creates the error for a command that can't be started, with a hint. */
function createStartError([file = '', ...args]: readonly string[], cause: NodeJS.ErrnoException): UserError {
  const line = file.trim().replaceAll(/\s*\n\s*/g, '; ') // messages have one line
  const reason = cause.code ?? cause.message
  return new UserError(
    `The command ${line} can't be started (${reason}). ${getStartHint(line, args, cause)}`.trim(),
    {
      cause,
    },
  )
}

const builtins = ['.', 'alias', 'cd', 'export', 'source', 'ulimit', 'unset']

function getStartHint(line: string, args: readonly string[], { code }: NodeJS.ErrnoException): string {
  if (/^\w+=\S*$/.test(line)) return `To set a variable: -- env ${shellQuote([line, ...args])}`
  if (/[\s$~]/.test(line)) return `To use shell syntax: -- sh -c ${shellQuote([line])}`
  if (builtins.includes(line)) return `To use shell syntax: -- sh -c '${[line, ...args].join(' ')}; …'`
  if (code === 'EACCES') return `It isn't executable. Run it with its interpreter, such as -- node ${line}`
  if (code !== 'ENOENT') return ''
  if (!existsSync(line)) return 'Install it, or add its folder to the PATH.'
  const [interpreter = ''] = readFileSync(line, 'utf8').split('\n')
  return interpreter.endsWith('\r')
    ? 'Its first line ends with a carriage return, as files from Windows do. Convert it with: dos2unix, or sed -i "s/\\r$//"'
    : "The interpreter in its first line doesn't exist. Install it."
}

/** Thrown if a signal ended a run, which then has no result. */
export class Interrupted extends Error {}

/** Signals that arrive while commands run. They are forwarded to the commands, and take effect here afterwards. */
export class Signals extends EventEmitter<{ signal: [NodeJS.Signals] }> {
  /** The most recent signal */
  received: NodeJS.Signals | undefined

  /** @throws Interrupted */
  throwIfReceived(): void {
    if (this.received) throw new Interrupted()
  }

  /** Does the work, and catches signals until it is done. */
  static async run<T>(work: (signals: Signals) => Promise<T>): Promise<T> {
    const signals = new Signals().setMaxListeners(0)
    const forward = (signal: NodeJS.Signals): void => {
      signals.received = signal
      signals.emit('signal', signal)
    }
    for (const name of endSignals) process.on(name, forward)
    try {
      return await work(signals)
    } finally {
      for (const name of endSignals) process.off(name, forward)
    }
  }
}
