import type { FaultResponse } from '../faults/effects/FaultEffect.ts'

/** The response of the simulated API, before it is checked, recorded and sent. */
export interface ApiResponse extends FaultResponse {
  /** The value of a JSON body */
  value?: unknown
  reason?: string
  /** Set by a fault, so it may break the contract */
  forced?: boolean
  /** A response of HTTP or authentication that the operation doesn't declare */
  isUnlisted?: boolean
  /** Known contract violations, if the response reports them itself */
  violations?: readonly string[]
}
