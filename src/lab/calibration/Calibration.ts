import type { SettlingCall } from '../../contract/Contract.ts'

/** The comparison of the simulator with recordings of the real service, as in `proxysim calibrate --json`. */
export interface Calibration {
  exchanges: {
    read: number
    judged: number
    skipped: { exchange: number; reason: string }[]
  }
  assumptions: JudgedAssumption[]
  violations: ContractViolation[]
  behaviour: Behaviour
}

export type AssumptionVerdict = 'holds' | 'other' | 'contradicts' | 'undecided'
export type CallEffect = SettlingCall['effect']

export interface JudgedAssumption {
  id: string
  verdict: AssumptionVerdict
  /** The confirmed interpretation; null if all are refuted, or several are still possible */
  interpretation: string | number | null
  default: string | number
  /** Numbers of the exchanges that distinguish the interpretations */
  evidence: number[]
  /** Calls that would settle the assumption, the most decisive one first, or why none can; empty if it is settled */
  needs: (Need | NoNeed)[]
}

/** The reason why no call settles an assumption: another one hides it. */
export interface NoNeed {
  /** Such as `can't be told apart while ipListLayout is addresses` */
  reason: string
}

/** A call that would distinguish interpretations. */
export interface Need {
  /** Such as `GET /api/products/orderby/price` */
  call: string
  effect: CallEffect
  /** A warning about the call */
  caution?: string
}

/** A contract violation in responses of the real service, with all exchanges that show it. */
export interface ContractViolation {
  operation: string
  status: number
  message: string
  exchanges: number[]
}

export interface Behaviour {
  same: number
  differ: number
  firstObservation: number
  undecidable: number
  /** same / (same + differ), in percent; null if nothing could be judged */
  fidelity: number | null
  differences: BehaviourDifference[]
}

/** A different response of the real service under the confirmed interpretations. */
export interface BehaviourDifference {
  exchange: number
  operation: string
  real: { status: number; body: unknown }
  ours: { status: number; body: unknown; case: string | null; reason: string | null }
}
