/** Something wrong with a text, at an offset. */
export interface TextIssue {
  message: string
  offset: number
}

/** A text that can't be parsed. */
export class TextError extends Error {
  readonly issues: readonly TextIssue[]

  constructor(...issues: TextIssue[]) {
    super(issues[0]?.message)
    this.issues = issues
  }
}
