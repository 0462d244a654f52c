import type { Drop } from '../world/faultValues.ts'

/** An answer before it becomes a reply. */
export interface ApiResponse {
  status: number
  type: string | undefined
  body: string
  /** What was serialised, where it is JSON */
  value?: unknown
  case?: string
  reason?: string
  headers?: Record<string, string>
  /** Made by a fault: then it may break the contract, that is what it is for. */
  forced?: boolean
  /** An answer that HTTP or authentication gives, and the operation does not list */
  isUnlisted?: boolean
  drop?: Drop
  /** What in it breaks the contract, if it says so itself */
  violations?: readonly string[]
}
