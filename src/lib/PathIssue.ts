/** A problem with a value, and the path to its location. */
export interface PathIssue {
  path: readonly (string | number)[]
  message: string
  /** Whether the last key of the path is wrong, rather than its value */
  isKey?: boolean
  /** Whether a required field is missing */
  isMissing?: boolean
}

/** Prefixes the paths of issues in a part of a value. */
export function prefixPaths(prefix: readonly (string | number)[], issues: readonly PathIssue[]): PathIssue[] {
  return issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }))
}
