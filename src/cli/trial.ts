import { startServer } from '../server.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import { environment } from './environment.ts'
import { Observer } from './Observer.ts'
import { nameOf, type Reading } from './readings.ts'
import { runCommand } from './runCommand.ts'
import { Tail } from './Tail.ts'

export type Verdict =
  | 'survives'
  | 'fails'
  /** It succeeded, but never asked what the reading is about: that tells nothing. */
  | 'not asked'

/** How a command fared under one reading. */
export interface Trial {
  /** undefined: as the scenario has it, which is the default of every assumption unless it says otherwise */
  reading: Reading | undefined
  verdict: Verdict
  exitCode: number
  timedOut: boolean
  /** Milliseconds */
  duration: number
  requests: number
  /** The last lines that it printed */
  output: string[]
  passedOn?: NodeJS.Signals
}

export interface TrialOptions {
  command: readonly string[]
  simulator: SimulatorOptions
  /** Milliseconds */
  timeout: number
  onOutput: (text: string) => void
}

/** Lines of a failed run that are shown */
const shownLines = 15

/** Runs the command against a simulator of its own that starts equal each time, but for the reading. */
export async function trial(reading: Reading | undefined, options: TrialOptions): Promise<Trial> {
  const { command, simulator, timeout, onOutput } = options
  const started = performance.now()
  const running = await startServer({
    ...simulator,
    ...(reading && { assumptions: { [reading.assumption]: reading.value } }),
  })
  try {
    const seen = new Observer(running.simulation, 0)
    const tail = new Tail()
    const { code, timedOut, passedOn } = await runCommand(command, {
      env: { ...environment(running), PROXYSIM_READING: reading ? nameOf(reading) : 'default' },
      timeout,
      onOutput: (text) => {
        tail.add(text)
        onOutput(text)
      },
    })
    return {
      reading,
      verdict: judge(code, timedOut, reading, seen),
      exitCode: code,
      timedOut,
      duration: performance.now() - started,
      requests: seen.requests,
      output: tail.lines(shownLines),
      ...(passedOn && { passedOn }),
    }
  } finally {
    await running.close()
  }
}

function judge(code: number, timedOut: boolean, reading: Reading | undefined, seen: Observer): Verdict {
  if (code !== 0 || timedOut) return 'fails'
  const isAsked = reading
    ? reading.operations.some((operation) => seen.isAsked(operation))
    : seen.requests > 0
  return isAsked ? 'survives' : 'not asked'
}
