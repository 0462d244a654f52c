/**
 * A refusal by a business rule: the name of the contract's case, and the reason in plain words. Status and text come
 * from `openapi.yaml`. It is thrown but isn't an Error: nothing went wrong, and a stack trace would only cost time.
 */
export class Refusal {
  readonly case: string
  /** What the API itself doesn't say: which value hit which limit. Never contains credentials. */
  readonly reason: string
  /** Values for the placeholders in the contract's text (`x-fill`) */
  readonly fill: Readonly<Record<string, string>> | undefined

  constructor(caseName: string, reason: string, fill?: Record<string, string>) {
    this.case = caseName
    this.reason = reason
    this.fill = fill
  }
}
