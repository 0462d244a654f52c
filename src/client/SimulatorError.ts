import { UserError } from '../UserError.ts'

/** One mistake in what was sent to the control plane. */
export interface Mistake {
  /** Where: `services.5001.status` */
  path: string
  message: string
  file?: string
  /** From 1 */
  line?: number
  /** From 1 */
  column?: number
}

/** What the simulator refused; nothing has changed there. */
export class SimulatorError extends UserError {
  /** 400 wrong input, 401 token, 404 unknown, 408 time is over, 409 taken, 503 file not written */
  readonly status: number
  readonly details: readonly Mistake[]

  constructor(status: number, message: string, details: readonly Mistake[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}
