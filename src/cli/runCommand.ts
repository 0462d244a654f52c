import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { UserError } from '../UserError.ts'

export interface RunOptions {
  /** Beside our own environment */
  env: Record<string, string>
  /** Told what it prints; it has no input then, and everything that it leaves running is ended. Absent: our own. */
  onOutput?: (text: string) => void
  /** Milliseconds, then it is ended */
  timeout?: number
}

export interface Ended {
  /** As a shell tells it: 128 and more, where a signal ended it */
  code: number
  timedOut: boolean
  /** The signal that we were sent meanwhile, and passed on */
  passedOn?: NodeJS.Signals
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long it may take to end when it is asked to, in milliseconds */
const grace = 5000

/** Runs a command to its end; signals that come meanwhile go to it. @throws UserError where it can't be started */
export function runCommand([file = '', ...args]: readonly string[], options: RunOptions): Promise<Ended> {
  const { env, onOutput, timeout } = options
  const isOwnGroup = onOutput !== undefined && process.platform !== 'win32'
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    detached: isOwnGroup,
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text))

  const send = (signal: NodeJS.Signals): void => {
    try {
      if (isOwnGroup && child.pid !== undefined) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // it has ended already
    }
  }

  return new Promise((resolve, reject) => {
    const ended: Omit<Ended, 'code'> = { timedOut: false }
    const timers: NodeJS.Timeout[] = []
    const onSignal = (signal: NodeJS.Signals): void => {
      ended.passedOn = signal
      // In a terminal, Ctrl-C went to the command as well, unless it is in a group of its own.
      if (signal !== 'SIGINT' || isOwnGroup || !process.stdin.isTTY) send(signal)
    }
    const done = (): void => {
      for (const signal of passedOn) process.off(signal, onSignal)
      for (const timer of timers) clearTimeout(timer)
    }
    for (const signal of passedOn) process.on(signal, onSignal)
    if (timeout !== undefined)
      timers.push(
        setTimeout(() => {
          ended.timedOut = true
          send('SIGTERM')
          timers.push(setTimeout(() => send('SIGKILL'), grace))
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
      if (!onOutput) finish(code, signal)
      // What it has printed is still on its way.
      else child.once('close', () => finish(code, signal))
    })

    function finish(code: number | null, signal: NodeJS.Signals | null): void {
      done()
      resolve({ ...ended, code: code ?? 128 + (signal ? constants.signals[signal] : 0) })
    }
  })
}
