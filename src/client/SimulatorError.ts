import type { Issue } from '../Issue.ts'
import { UserError } from '../UserError.ts'

/** What the simulator refused; nothing has changed there. */
export class SimulatorError extends UserError {
  override readonly name = 'SimulatorError'
  override readonly code = 'ERR_PROXYSIM_REFUSED'
  /** 400 wrong input, 401 token, 404 unknown, 408 time is over, 409 taken, 503 not stored */
  readonly status: number
  /** Each mistake of a wrong input; empty for other refusals */
  readonly details: readonly Issue[]

  constructor(status: number, message: string, details: readonly Issue[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}
