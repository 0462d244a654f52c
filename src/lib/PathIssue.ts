/** An issue, and where it is. */
export interface PathIssue {
  path: readonly (string | number)[]
  message: string
  /** Whether the last key of the path is wrong, rather than its value */
  isKey?: boolean
}

/** The issues of a part, with paths from further up. */
export function under(above: readonly (string | number)[], issues: readonly PathIssue[]): PathIssue[] {
  return issues.map((issue) => ({ ...issue, path: [...above, ...issue.path] }))
}
