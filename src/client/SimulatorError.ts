import type { Issue } from '../lib/Issue.ts'
import { UserError, type ErrorDetails } from '../lib/UserError.ts'

/** The simulator refused a call; nothing has changed. */
export class SimulatorError extends UserError {
  override readonly name = 'SimulatorError'
  override readonly code = 'ERR_PROXYSIM_REFUSED'
  /**
   * 400 invalid input, 401 wrong or missing admin token, 404 not found, 408 timeout, 409 conflict, 413 an export would be too large to load, 503 the state couldn't be
   * saved
   */
  readonly status: number
  /** Each issue of an invalid input; otherwise empty */
  readonly details: readonly Issue[]

  constructor(
    status: number,
    problem: string,
    { details = [], ...more }: ErrorDetails & { details?: readonly Issue[] } = {},
  ) {
    super(problem, more)
    this.status = status
    this.details = details
  }
}
