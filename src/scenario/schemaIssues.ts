import type { z } from 'zod'
import type { PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Path } from './SourceText.ts'

/** Validates a value against a schema, with one issue per mistake. */
export function schemaIssues(schema: z.ZodType, value: unknown): PathIssue[] {
  const result = parsed(schema, value)
  if (!result) return [{ path: [], message: 'there are too many mistakes to list them' }]
  if (result.success) return []
  const all = result.error.issues.flatMap((issue) => fromZod(issue, value, [])).filter(isNew())
  // A typo in a field's name is one mistake: don't report the intended field as missing too.
  const meant = new Set(all.flatMap(({ path, message }) => meantBy(path, message)))
  return all.filter(({ path, message }) => message !== required || !meant.has(nameOf(path)))
}

/** @returns undefined if there are more issues in a list than zod can spread into arguments */
function parsed(schema: z.ZodType, value: unknown): ReturnType<z.ZodType['safeParse']> | undefined {
  try {
    return schema.safeParse(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const required = 'is required'

function meantBy(path: Path, message: string): string[] {
  const field = /^unknown field .*, did you mean "(\w+)"\?/.exec(message)?.[1]
  return field === undefined ? [] : [nameOf([...path.slice(0, -1), field])]
}

function nameOf(path: Path): string {
  return path.join('\u0000')
}

/** @param above the path to `value` */
function fromZod(issue: z.core.$ZodIssue, value: unknown, above: Path): PathIssue[] {
  const own = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
  const path = [...above, ...own]
  if (issue.code === 'unrecognized_keys')
    return issue.message.split('\n').map((message, i) => ({
      path: [...path, issue.keys[i] as string],
      message,
      isKey: true,
    }))
  if (issue.code === 'invalid_key')
    return [{ path, message: notA(own.at(-1), issue.issues[0]?.message ?? ''), isKey: true }]
  const present = at(value, own)
  if (present === undefined) return [{ path, message: required, isKey: true }]
  // If the value is a map, report the issues of the alternative that is a map.
  const branch =
    issue.code === 'invalid_union' && isObject(present)
      ? issue.errors.find((issues) =>
          issues.every((one) => one.path.length || one.code === 'unrecognized_keys'),
        )
      : undefined
  if (branch?.length) return branch.flatMap((one) => fromZod(one, present, path))
  return [{ path, message: notA(isSecret(path, present) ? undefined : present, issue.message) }]
}

function notA(value: unknown, allowed: string): string {
  return `${value === undefined ? 'this value' : shown(value)} is not ${allowed}`
}

/** Messages may be logged or shown in a terminal, so they contain no secrets. */
function isSecret(path: Path, value: unknown): boolean {
  return typeof value !== 'object' && (path.includes('password') || path.includes('tokens'))
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Record<string | number, unknown>)[key]
        : undefined,
    value,
  )
}

function shown(value: unknown): string {
  if (isObject(value)) return Object.keys(value).length ? 'a map' : 'an empty map'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return String(value)
  return JSON.stringify(typeof value === 'string' && value.length > 60 ? `${value.slice(0, 57)}…` : value)
}

/** Two checks of a value can report the same issue. */
function isNew(): (mistake: PathIssue) => boolean {
  const seen = new Set<string>()
  return ({ path, message }) => {
    const key = nameOf([...path, message])
    return seen.size < seen.add(key).size
  }
}
