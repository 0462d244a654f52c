/** A problem with an input, and its location. */
export interface Issue {
  /** The field, such as `services.5001.status`; empty for the input as a whole */
  path: string
  message: string
  /** File of the scenario */
  file?: string
  /** Starts at 1 */
  line?: number
  /** Starts at 1 */
  column?: number
}

export const missingField = 'Missing field'

/** `services.5001.status: Missing field` */
export function withPath({ path, message }: Issue): string {
  return path === '' ? message : `${path}: ${message}`
}
