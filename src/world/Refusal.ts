/**
 * A refusal by a business rule: the name of the contract's case, and the reason in plain words. Status and text come
 * from `openapi.yaml`. It is thrown but isn't an Error, because a refusal isn't a failure and a stack trace would cost time.
 */
export class Refusal {
  readonly case: string
  /** The detail that the API's own text omits: the value and the limit that it exceeds. Never contains credentials. */
  readonly reason: string
  /** Values for the placeholders in the contract's text (`x-fill`) */
  readonly fill: Readonly<Record<string, string>> | undefined

  constructor(caseName: string, reason: string, fill?: Record<string, string>) {
    this.case = caseName
    this.reason = reason
    this.fill = fill
  }
}
