import type { Issue } from '../Issue.ts'
import { UserError } from '../UserError.ts'

/** What the simulator refused; nothing has changed there. */
export class SimulatorError extends UserError {
  /** 400 wrong input, 401 token, 404 unknown, 408 time is over, 409 taken, 503 file not written */
  readonly status: number
  readonly details: readonly Issue[]

  constructor(status: number, message: string, details: readonly Issue[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}
