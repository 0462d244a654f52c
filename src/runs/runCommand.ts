import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { UserError } from '../lib/UserError.ts'
import type { Signals } from './Signals.ts'

export interface CommandOptions {
  /** In addition to our own environment */
  env: Record<string, string>
  /**
   * Where its standard output goes: to ours, or to standard error. If it is captured, so is its standard error, it has no
   * input, and what it leaves running is killed. @default 'inherit'
   */
  stdout?: 'inherit' | 'stderr' | 'captured'
  /** Milliseconds until it is killed. @default as long as it takes */
  timeout?: number
  /** Source of signals to forward */
  signals: Signals
}

export interface Ended {
  /** Shell exit code: 128 plus the signal's number if a signal ended it */
  exitCode: number
  timedOut: boolean
  /** What it printed, if that was captured */
  printed: string
}

/** Milliseconds it gets to exit after a signal */
const grace = 5000

/** Milliseconds to wait for remaining output after it exits: another process may keep the pipe open. */
const drain = 1000

/** Runs a command, and forwards signals to it. @throws UserError if it can't be started */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  { env, stdout = 'inherit', timeout, signals }: CommandOptions,
): Promise<Ended> {
  const isCaptured = stdout === 'captured'
  const isOwnGroup = isCaptured && process.platform !== 'win32'
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: isCaptured
      ? ['ignore', 'pipe', 'pipe']
      : ['inherit', stdout === 'stderr' ? 2 : 'inherit', 'inherit'],
    detached: isOwnGroup,
  })
  let printed = ''
  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null)
  for (const stream of outputs) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))

  const send = (signal: NodeJS.Signals): void => {
    try {
      if (isOwnGroup && child.pid !== undefined) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // It has exited already.
    }
  }
  const timers: NodeJS.Timeout[] = []
  const after = (ms: number, act: () => void): void => void timers.push(setTimeout(act, ms))
  let isEnding = false
  /** A command in its own process group can only be ended by us. */
  const end = (signal: NodeJS.Signals): void => {
    send(isEnding ? 'SIGKILL' : signal)
    isEnding = true
    after(grace, () => send('SIGKILL'))
  }
  const ignore = signals.on((signal) => {
    if (isOwnGroup) end(signal)
    // In a terminal, Ctrl-C reaches the command directly, whatever its input and output are redirected to.
    else if (signal !== 'SIGINT' || ![0, 1, 2].some((stream) => isatty(stream))) send(signal)
  })
  let timedOut = false
  if (timeout !== undefined)
    after(timeout, () => {
      timedOut = true
      end('SIGTERM')
    })
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        if (isOwnGroup) send('SIGKILL') // what it left running could interfere with the next run
        child.once('close', () => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
        after(drain, () => {
          for (const stream of outputs) stream.destroy()
        })
      })
    })
    return { exitCode, timedOut, printed }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new UserError(`The command ${file} can't be started (${code ?? message}).`, { cause })
  } finally {
    ignore()
    for (const timer of timers) clearTimeout(timer)
  }
}
