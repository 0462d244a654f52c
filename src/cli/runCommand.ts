import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { UserError } from '../UserError.ts'
import { Signals } from './Signals.ts'

export interface RunOptions {
  /** In addition to our own environment */
  env: Record<string, string>
  /**
   * Receives the output. The command then has no input, and anything it leaves running is killed. Default: inherit ours
   */
  onOutput?: (text: string) => void
  /** Milliseconds until it is killed */
  timeout?: number
  /** Source of signals to forward. Default: a new one */
  signals?: Signals
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
export async function runCommand(command: readonly string[], options: RunOptions): Promise<Ended> {
  const signals = options.signals ?? new Signals()
  try {
    return await run(command, options, signals)
  } finally {
    if (!options.signals) signals.release()
  }
}

function run(
  [file = '', ...args]: readonly string[],
  { env, onOutput, timeout }: RunOptions,
  signals: Signals,
): Promise<Ended> {
  const isOwnGroup = onOutput !== undefined && process.platform !== 'win32'
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
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
      reject(
        new UserError(`The command ${file} can't be started (${error.code ?? error.message}).`, {
          cause: error,
        }),
      )
    })
    child.once('exit', (code, signal) => {
      if (isOwnGroup) send('SIGKILL') // what it left running could interfere with the next run
      if (!onOutput) return finish(code, signal)
      child.once('close', () => finish(code, signal))
      timers.push(
        setTimeout(() => {
          for (const stream of outputs) stream.destroy()
        }, drain),
      )
    })

    function finish(code: number | null, signal: NodeJS.Signals | null): void {
      done()
      resolve({ timedOut, code: code ?? 128 + (signal ? constants.signals[signal] : 0) })
    }
  })
}
