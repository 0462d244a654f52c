import type { z } from 'zod'
import { missingField } from '../lib/Issue.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { suggestion } from '../lib/nearest.ts'
import { quoted } from '../lib/text.ts'
import { isObject } from '../world/mergePatch.ts'

type Path = PathIssue['path']

/** Maximum number of issues that are described, which takes far more time than finding them. */
const maxDescribed = 100

/** Validates a value against a schema of `schema.ts`. Returns up to 100 issues in zod's words, unknown fields first. */
export function schemaIssues(schema: z.ZodType, value: unknown): PathIssue[] {
  try {
    const { error } = schema.safeParse(value, { reportInput: true })
    return toIssues(error?.issues ?? []).slice(0, maxDescribed)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ path: [], message: 'Too many issues to list' }] // more than zod can spread into arguments
  }
}

/** @param above the path of the value that these issues are in */
function toIssues(issues: readonly z.core.$ZodIssue[], above: Path = []): PathIssue[] {
  const isUnknown = ({ code }: z.core.$ZodIssue): number => Number(code === 'unrecognized_keys')
  return issues
    .toSorted((a, b) => isUnknown(b) - isUnknown(a))
    .slice(0, maxDescribed)
    .flatMap((issue) => describe(issue, [...above, ...(issue.path as (string | number)[])]))
}

function describe(issue: z.core.$ZodIssue, path: Path): PathIssue[] {
  const { code, input, message } = issue
  if (code === 'unrecognized_keys')
    return issue.keys.slice(0, maxDescribed).map((field) => {
      const hint = suggestion(field, message.split(', ')) || ` Allowed: ${message}`
      return {
        path: [...path, field],
        message: `Unknown field ${quoted(field)}.${hint}`,
        isKey: true,
      }
    })
  if (code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? message, isKey: true }]
  if (input === undefined) return [{ path, message: missingField, isKey: true, isMissing: true }]
  if (code === 'invalid_union') {
    // The alternative of the value's type tells what is wrong inside.
    const branch = issue.errors.find((all) => all.every((one) => one.path.length > 0 || !isOtherType(one)))
    if (branch?.length) return toIssues(branch, path)
  }
  const hint =
    code === 'invalid_value' && typeof input === 'string' ? suggestion(input, issue.values.map(String)) : ''
  return [{ path, message: hint ? `${message}.${hint}` : message }]
}

function isOtherType({ code }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' || code === 'invalid_value'
}

/** Reports unknown fields and impossible ids that a merge patch sets to null, because merging would hide the mistake. */
export function removalIssues(schema: z.ZodType, patch: object): PathIssue[] {
  if (!hasNull(patch)) return []
  return schemaIssues(schema, patch).filter(({ path, isKey }) => isKey && valueAt(patch, path) === null)
}

function hasNull(value: unknown): boolean {
  return value === null || (isObject(value) && Object.values(value).some(hasNull))
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), value)
}
