import type { Finding } from '../journal/findings.ts'
import type { JournalEntry } from '../journal/JournalEntry.ts'
import type { Difference } from './compareEffects.ts'
import type { Verdict } from './judge.ts'

/** What a sweep found out, as `--json` prints it and `--report FILE.json` keeps it. */
export interface SweepReport {
  /** What was run */
  command: string[]
  /** Whether there was neither harm, nor swallowed, nor hang */
  passed: boolean
  /** Seconds that a run may take */
  timeout: number
  /** The runs without faults */
  baseline: {
    /** Of the longer one */
    durationMs: number
    requests: number
    /** The operations that the command calls, in the order of their first calls */
    operations: string[]
    findings: Finding[]
    /** What differs by itself from run to run, and is not judged */
    unsteady: string[]
  }
  verdicts: Record<Verdict, number>
  runs: SweepRun[]
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
  /** What the simulator and we took besides */
  overheadMs: number
  requests: number
  /** Findings that the runs without faults have not */
  findings: Finding[]
  /** How the end state is not the one of the runs without faults; null if the command failed, and nothing is compared */
  endState: Difference | null
  /** The requests that show a bad verdict, the oldest first: the one that was struck, and what came of it */
  shown: ShownRequest[]
  /** The last lines that the command printed */
  output: string[]
  /** The command that repeats this run */
  repeat: string
  /** File of the scenario that has the world as it was just before the call that was struck, the fault armed */
  repro: string | null
}

export type ShownRequest = Pick<
  JournalEntry,
  'id' | 'method' | 'path' | 'status' | 'case' | 'reason' | 'change'
> & {
  /** Whether it is the one that the fault struck */
  struck: boolean
}
