/** What recordings of the real service say of the simulator: what `proxysim calibrate --json` prints. */
export interface Calibration {
  exchanges: {
    read: number
    judged: number
    skipped: { exchange: number; reason: string }[]
  }
  assumptions: AssumptionVerdict[]
  drift: Drift[]
  behaviour: Behaviour
}

export type Verdict = 'holds' | 'other' | 'contradicts' | 'undecided'
export type Effect = 'reads' | 'changes state' | 'costs money'

export interface AssumptionVerdict {
  id: string
  verdict: Verdict
  /** The reading that holds; null where none does, or more than one may */
  reading: string | number | null
  default: string | number
  /** Numbers of the exchanges that tell the readings apart */
  evidence: number[]
  /** Calls that would settle it, the cheapest first; empty where it is settled */
  needs: Need[]
  /** Readings that nothing speaks against, where more than one is left and the default is not among them */
  possible?: (string | number)[]
}

/** A call that would tell readings apart. */
export interface Need {
  /** `GET /api/products/orderby/price` */
  call: string
  effect: Effect
  /** What to know before making it */
  caution?: string
}

/** What in answers of the real service breaks the contract. */
export interface Drift {
  operation: string
  status: number
  message: string
  exchanges: number[]
}

export interface Behaviour {
  same: number
  differ: number
  firstSight: number
  undecidable: number
  /** same / (same + differ), in percent; null where nothing could be judged */
  fidelity: number | null
  differences: BehaviourDifference[]
}

/** The real service answered otherwise than ours, under the readings that hold. */
export interface BehaviourDifference {
  exchange: number
  operation: string
  real: { status: number; body: unknown }
  ours: { status: number; body: unknown; case: string | null; reason: string | null }
  /** The smallest parts that differ */
  parts: { path: string; real: string | number | boolean | null; ours: string | number | boolean | null }[]
}
