import type { z } from 'zod'
import type { PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { nearest, suggestion } from '../world/nearest.ts'

type Path = PathIssue['path']

/** How many unknown fields of one map are reported */
const maxUnknown = 20

/** An issue with a field that is missing, or with one that is unknown and may be a typo of it. */
interface FieldIssue extends PathIssue {
  isRequired?: boolean
  meant?: string
}

/**
 * Validates a value against a schema of `schema.ts`, with one issue per mistake.
 * @param belongs says where an unknown field at the top belongs
 */
export function schemaIssues(
  schema: z.ZodType,
  value: unknown,
  belongs: (field: string) => string | undefined = () => undefined,
): PathIssue[] {
  let found: readonly z.core.$ZodIssue[]
  try {
    found = schema.safeParse(value).error?.issues ?? []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ path: [], message: 'Too many issues to list' }] // more than zod can spread into arguments
  }
  const all = found.flatMap((issue) => fromZod(issue, value, [], belongs))
  // A typo in a field's name is one mistake: don't report the intended field as missing too.
  const meant = new Set(
    all.flatMap(({ path, meant: field }) => (field ? nameOf([...path.slice(0, -1), field]) : [])),
  )
  const once = new Map<string, PathIssue>()
  for (const { path, message, isKey, isRequired } of all)
    if (!isRequired || !meant.has(nameOf(path)))
      once.set(nameOf([...path, message]), { path, message, ...(isKey && { isKey }) })
  return [...once.values()]
}

function nameOf(path: Path): string {
  return path.join('\u0000')
}

/** @param above the path to `value` */
function fromZod(
  issue: z.core.$ZodIssue,
  value: unknown,
  above: Path,
  belongs: (field: string) => string | undefined,
): FieldIssue[] {
  const own = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
  const path = [...above, ...own]
  if (issue.code === 'unrecognized_keys') {
    const allowed = issue.message.split(' ')
    return issue.keys.slice(0, maxUnknown).map((field) => {
      const home = path.length === 0 ? belongs(field) : undefined
      const meant = home === undefined ? nearest(field, allowed) : undefined
      const hint = home === undefined ? suggestion(field, allowed) : ` It belongs to ${home}.`
      const message = `Unknown field ${JSON.stringify(field)}.${hint} Allowed: ${allowed.join(', ')}`
      return { path: [...path, field], message, isKey: true, ...(meant && { meant }) }
    })
  }
  if (issue.code === 'invalid_key')
    return [{ path, message: notA(own.at(-1), issue.issues[0]?.message ?? ''), isKey: true }]
  const present = at(value, own)
  if (present === undefined) return [{ path, message: 'Required', isKey: true, isRequired: true }]
  // If the value is a map, report the issues of the alternative that is a map.
  const branch =
    issue.code === 'invalid_union' && isObject(present)
      ? issue.errors.find((issues) =>
          issues.every((one) => one.path.length || one.code === 'unrecognized_keys'),
        )
      : undefined
  if (branch?.length) return branch.flatMap((one) => fromZod(one, present, path, belongs))
  const message = notA(isSecret(path, present) ? undefined : present, issue.message)
  const hint =
    issue.code === 'invalid_value' && typeof present === 'string'
      ? suggestion(present, issue.values.map(String))
      : ''
  return [{ path, message: hint ? `${message}.${hint}` : message }]
}

/** @param allowed what is allowed, as a noun phrase, or a whole sentence */
function notA(value: unknown, allowed: string): string {
  return /^[A-Z]/.test(allowed)
    ? allowed
    : `${value === undefined ? 'This value' : shown(value)} is not ${allowed}`
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
  if (isObject(value)) return Object.keys(value).length ? 'A map' : 'An empty map'
  if (Array.isArray(value)) return 'A list'
  if (typeof value === 'number') return String(value)
  return JSON.stringify(typeof value === 'string' && value.length > 60 ? `${value.slice(0, 57)}…` : value)
}
