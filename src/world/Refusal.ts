/**
 * A rule's no: the name of the contract's case, and the reason in plain words. Status and text come from
 * `openapi.yaml`. It is thrown, and it is no Error: nothing went wrong, and a stack trace would only cost time.
 */
export class Refusal {
  readonly case: string
  /** What the API itself does not say: which value met which limit. Never holds a credential. */
  readonly reason: string
  /** Values for the variable parts of the contract's text (`x-fill`). */
  readonly fill: Readonly<Record<string, string>> | undefined

  constructor(caseName: string, reason: string, fill?: Record<string, string>) {
    this.case = caseName
    this.reason = reason
    this.fill = fill
  }
}

/** Ends the rule with a refusal. */
export function refuse(caseName: string, reason: string, fill?: Record<string, string>): never {
  throw new Refusal(caseName, reason, fill)
}
