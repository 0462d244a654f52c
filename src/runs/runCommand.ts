import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { UserError } from '../lib/UserError.ts'
import type { Signals } from './Signals.ts'

export interface CommandOptions {
  /** In addition to our own environment */
  env: Record<string, string>
  /** Receives the output. The command then has no input, and what it leaves running is killed. Default: inherit ours */
  onOutput?: (text: string) => void
  /** Where its standard output goes if it isn't captured. @default 'inherit' */
  stdout?: 'inherit' | 'stderr'
  /** Milliseconds until it is killed */
  timeout?: number
  /** Source of signals to forward */
  signals: Signals
}

export interface Ended {
  /** Shell exit code: 128 plus the signal's number if a signal ended it */
  code: number
  timedOut: boolean
}

/** Milliseconds it gets to exit after a signal */
const grace = 5000

/** Milliseconds to wait for remaining output after it exits: another process may keep the pipe open. */
const drain = 1000

/** Runs a command, and forwards signals to it. @throws UserError if it can't be started */
export function runCommand(
  [file = '', ...args]: readonly string[],
  { env, onOutput, stdout = 'inherit', timeout, signals }: CommandOptions,
): Promise<Ended> {
  const isOwnGroup = onOutput !== undefined && process.platform !== 'win32'
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: onOutput
      ? ['ignore', 'pipe', 'pipe']
      : ['inherit', stdout === 'stderr' ? 2 : 'inherit', 'inherit'],
    detached: isOwnGroup,
  })
  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null)
  for (const stream of outputs) stream.setEncoding('utf8').on('data', (text: string) => onOutput?.(text))

  const send = (signal: NodeJS.Signals): void => {
    try {
      if (isOwnGroup && child.pid !== undefined) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // It has exited already.
    }
  }

  return new Promise((resolve, reject) => {
    let timedOut = false
    let isEnding = false
    const timers: NodeJS.Timeout[] = []
    /** A command in its own process group can only be ended by us. */
    const end = (signal: NodeJS.Signals): void => {
      send(isEnding ? 'SIGKILL' : signal)
      isEnding = true
      timers.push(setTimeout(() => send('SIGKILL'), grace))
    }
    const ignore = signals.on((signal) => {
      if (isOwnGroup) end(signal)
      // In a terminal, Ctrl-C reaches the command directly, whatever its input and output are redirected to.
      else if (signal !== 'SIGINT' || ![0, 1, 2].some((stream) => isatty(stream))) send(signal)
    })
    const done = (): void => {
      ignore()
      for (const timer of timers) clearTimeout(timer)
    }
    if (timeout !== undefined)
      timers.push(
        setTimeout(() => {
          timedOut = true
          end('SIGTERM')
        }, timeout),
      )
    child.once('error', (error: NodeJS.ErrnoException) => {
      done()
      const reason = error.code ?? error.message
      reject(new UserError(`The command ${file} can't be started (${reason}).`, { cause: error }))
    })
    child.once('exit', (code, signal) => {
      const finish = (): void => {
        done()
        resolve({ timedOut, code: code ?? 128 + (signal ? constants.signals[signal] : 0) })
      }
      if (isOwnGroup) send('SIGKILL') // what it left running could interfere with the next run
      if (!onOutput) return finish()
      child.once('close', finish)
      timers.push(
        setTimeout(() => {
          for (const stream of outputs) stream.destroy()
        }, drain),
      )
    })
  })
}
