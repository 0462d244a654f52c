import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { UserError } from '../UserError.ts'
import { Signals } from './Signals.ts'

export interface RunOptions {
  /** Beside our own environment */
  env: Record<string, string>
  /** Told what it prints; it has no input then, and everything that it leaves running is ended. Absent: our own. */
  onOutput?: (text: string) => void
  /** Milliseconds, then it is ended */
  timeout?: number
  /** Passed on to it; absent: its own */
  signals?: Signals
}

export interface Ended {
  /** As a shell tells it: 128 and more, where a signal ended it */
  code: number
  timedOut: boolean
}

/** How long it may take to end when it is asked to, in milliseconds */
const grace = 5000

/** How long after its end what it has printed may be on its way, in milliseconds: another may hold on to its output. */
const drain = 1000

/** Runs a command to its end; signals that come meanwhile go to it. @throws UserError where it can't be started */
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
      // it has ended already
    }
  }

  return new Promise((resolve, reject) => {
    let timedOut = false
    let isAsked = false
    const timers: NodeJS.Timeout[] = []
    /** In a group of its own it has nobody but us who could end it. */
    const end = (signal: NodeJS.Signals): void => {
      send(isAsked ? 'SIGKILL' : signal)
      isAsked = true
      timers.push(setTimeout(() => send('SIGKILL'), grace))
    }
    const ignore = signals.on((signal) => {
      if (isOwnGroup) end(signal)
      // In a terminal, Ctrl-C went to the command as well.
      else if (signal !== 'SIGINT' || !process.stdin.isTTY) send(signal)
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
      if (isOwnGroup) send('SIGKILL') // what it left running would meddle with the next run
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
