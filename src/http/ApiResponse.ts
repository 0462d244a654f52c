import type { Drop } from '../world/values.ts'

/** The response of the simulated API, before it is checked, recorded and sent. */
export interface ApiResponse {
  status: number
  type: string | undefined
  body: string
  /** The value of a JSON body */
  value?: unknown
  case?: string
  reason?: string
  headers?: Record<string, string>
  /** Set by a fault, so it may break the contract */
  forced?: boolean
  /** A response of HTTP or authentication that the operation doesn't declare */
  isUnlisted?: boolean
  drop?: Drop
  /** Known contract violations, if the response reports them itself */
  violations?: readonly string[]
}
