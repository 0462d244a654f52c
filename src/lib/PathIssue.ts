import { shorten } from './text.ts'

/** A problem with a value, and the path to its location. */
export interface PathIssue {
  path: readonly (string | number)[]
  message: string
  /** Whether the last key of the path is wrong, rather than its value */
  isKey?: boolean
  /** Whether a required field is missing */
  isMissing?: boolean
}

/** `services.5001.status` */
export function pathText(path: PathIssue['path']): string {
  return path.map((part) => shorten(String(part))).join('.')
}

/** Prefixes the paths of issues in a part of a value. */
export function prefixPaths(prefix: readonly (string | number)[], issues: readonly PathIssue[]): PathIssue[] {
  return issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }))
}
