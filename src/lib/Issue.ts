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

const missing = 'Missing field'

/** The message for a missing field. */
export function missingField(name: string | number | undefined): string {
  return `${missing} ${JSON.stringify(String(name))}`
}

export function isMissingField({ message }: { message: string }): boolean {
  return message.startsWith(missing)
}

/** `services.5001.status: "Actve" is not …`. The message for a missing field names it, so only its parent is prefixed. */
export function withPath(issue: Issue): string {
  const place = isMissingField(issue) ? issue.path.split('.').slice(0, -1).join('.') : issue.path
  return place === '' ? issue.message : `${place}: ${issue.message}`
}
