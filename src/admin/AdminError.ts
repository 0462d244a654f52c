/** One mistake in what was sent. */
export interface Detail {
  /** Where: a field, as `services.5001.status`; empty for the whole */
  path: string
  message: string
  /** Of a scenario */
  file?: string
  line?: number
  column?: number
}

/** A no of the control plane: the status, one line, and for wrong input each mistake. */
export class AdminError extends Error {
  readonly status: 400 | 404 | 409 | 503
  readonly details: readonly Detail[] | undefined

  constructor(status: 400 | 404 | 409 | 503, message: string, details?: readonly Detail[]) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** 400: what is wrong in the input. The line that sums it up names the first mistake. */
export function wrongInput(what: string, details: readonly Detail[]): AdminError {
  const [first] = details
  const rest = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const where = first?.path ? `${first.path}: ` : ''
  return new AdminError(400, first ? `${what} ${where}${first.message}${rest}` : what, details)
}
