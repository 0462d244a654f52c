import type { Finding, JournalEntry } from '../admin/shapes.ts'
import type { Difference } from './compareEndStates.ts'
import type { Verdict } from './verdicts.ts'

/** The result of a sweep, as `--json` prints it and `--report FILE.json` writes it. */
export interface SweepReport {
  command: string[]
  /** Whether every fault was tried, and no verdict is `harm`, `swallowed` or `hang` */
  passed: boolean
  /** Time limit of a run, in seconds */
  timeout: number
  /** The run without faults */
  baseline: {
    durationMs: number
    requests: number
    /** The operations that the command calls, in the order of their first calls */
    operations: string[]
    findings: Finding[]
    /** Subjects that a second run without faults left otherwise, and that aren't judged */
    unsteady: string[]
  }
  verdicts: Record<Verdict, number>
  runs: SweepRun[]
  /** How many runs are missing because the sweep was interrupted */
  notRun: number
}

/** A run with one fault. */
export interface SweepRun {
  operation: string
  fault: string
  verdict: Verdict
  exitCode: number
  timedOut: boolean
  /** Of the command itself */
  durationMs: number
  /** Of the simulator and of the sweep itself */
  overheadMs: number
  requests: number
  /** Findings that the runs without faults don't have */
  findings: Finding[]
  /** How the end state differs from the runs without faults; null if the command failed */
  endState: Difference | null
  /** The requests behind a bad verdict, the oldest first: the one that was struck, and its consequences */
  shown: ShownRequest[]
  /** The last lines that the command printed */
  output: string[]
  /** The command that repeats this run */
  repeat: string
  /** File of a scenario with the world just before the struck call and the fault armed */
  repro: string | null
}

export type ShownRequest = Pick<
  JournalEntry,
  'id' | 'method' | 'path' | 'status' | 'case' | 'reason' | 'change'
> & {
  /** Whether it is the one that the fault struck */
  struck: boolean
}
