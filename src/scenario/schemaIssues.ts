import type { z } from 'zod'
import { isMissingField, missingField } from '../lib/Issue.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { isObject } from '../world/mergePatch.ts'
import { isRealDate } from '../world/time.ts'
import { didYouMean, nearest, suggestion } from '../lib/nearest.ts'

type Path = PathIssue['path']

type ParentOf = (field: string, path: Path) => string | undefined

/** Maximum number of unknown fields reported per map */
const maxUnknown = 20

/** Describes the numbers that are allowed. 1e400 isn't one: it is read as Infinity. */
export const numberPhrase = `a number that JSON can have (at most ${Number.MAX_VALUE})`

/** Maximum number of violations that are described, which takes far more time than finding them. */
export const maxDescribed = 100

/**
 * Validates a value against a schema of `schema.ts`, with one issue per mistake, for the first 100 violations.
 * @param getParent returns where an unknown field belongs, if that is known
 */
export function schemaIssues(
  schema: z.ZodType,
  value: unknown,
  getParent: ParentOf = () => undefined,
): PathIssue[] {
  /** The intended names of misspelled fields, which aren't reported as missing too */
  const misspelled = new Set<string>()

  function unknownField(path: Path, field: string, allowed: readonly string[]): PathIssue {
    const parent = getParent(field, path)
    const near = parent === undefined ? nearest(field, allowed) : undefined
    if (near !== undefined) misspelled.add(pathKey([...path, near]))
    const hint = parent === undefined ? didYouMean(near) : ` It belongs to ${parent}.`
    const message = `Unknown field ${JSON.stringify(field)}.${hint || ` Allowed: ${allowed.join(', ')}`}`
    return { path: [...path, field], message, isKey: true }
  }

  function toIssues(issue: z.core.$ZodIssue, above: Path = []): PathIssue[] {
    const path = [...above, ...(issue.path as (string | number)[])]
    const { input } = issue
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, maxUnknown)
        .map((field) => unknownField(path, field, issue.message.split(' ')))
    if (issue.code === 'invalid_key')
      return [{ path, message: describeInvalid(path.at(-1), issue.issues[0]?.message ?? ''), isKey: true }]
    if (input === undefined) return [{ path, message: missingField(path.at(-1)), isKey: true }]
    // For a map or list, report only the issues of the alternative that is one.
    const branch =
      issue.code === 'invalid_union' && typeof input === 'object'
        ? issue.errors.find((all) =>
            all.every((one) => one.path.length > 0 || one.code === 'unrecognized_keys'),
          )
        : undefined
    if (branch?.length) return firstCauses(branch).flatMap((one) => toIssues(one, path))
    const isInfinite = typeof input === 'number' && !Number.isFinite(input)
    const allowed = isInfinite && issue.message === 'Invalid input' ? numberPhrase : issue.message
    const message = describeInvalid(input, allowed, isSecret(path, input))
    const hint =
      issue.code === 'invalid_value' && typeof input === 'string'
        ? suggestion(input, issue.values.map(String))
        : ''
    return [{ path, message: hint ? `${message}.${hint}` : message }]
  }

  let zodIssues: readonly z.core.$ZodIssue[]
  try {
    zodIssues = schema.safeParse(value, { reportInput: true }).error?.issues ?? []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ path: [], message: 'Too many issues to list' }] // more than zod can spread into arguments
  }
  const issues = firstCauses(zodIssues)
    .slice(0, maxDescribed)
    .flatMap((issue) => toIssues(issue))
    .filter((issue) => !isMissingField(issue) || !misspelled.has(pathKey(issue.path)))
  return [...new Map(issues.map((issue) => [pathKey([...issue.path, issue.message]), issue])).values()]
}

/** The issues, unknown fields first, without the rules that a map with unknown fields breaks, because one of these fields is probably what it lacks. */
function firstCauses(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const unknown = new Set(
    issues.flatMap(({ code, path }) => (code === 'unrecognized_keys' ? path.join() : [])),
  )
  return issues
    .filter(({ code, path }) => code !== 'custom' || !unknown.has(path.join()))
    .toSorted((a, b) => Number(b.code === 'unrecognized_keys') - Number(a.code === 'unrecognized_keys'))
}

/** Reports unknown fields and impossible ids that a merge patch sets to null, because merging would hide the mistake. */
export function removalIssues(schema: z.ZodType, patch: object, getParent?: ParentOf): PathIssue[] {
  if (!hasNull(patch)) return []
  return schemaIssues(schema, patch, getParent).filter(
    ({ path, isKey }) => isKey && valueAt(patch, path) === null,
  )
}

function hasNull(value: unknown): boolean {
  return value === null || (isObject(value) && Object.values(value).some(hasNull))
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), value)
}

function pathKey(path: Path): string {
  return path.join('\u0000')
}

/**
 * @param allowed a noun phrase, or a whole sentence
 * @param isHidden whether the message must not contain the value
 */
function describeInvalid(value: unknown, allowed: string, isHidden = false): string {
  if (/^[A-Z]/.test(allowed)) return allowed
  if (allowed.startsWith('an instant') && typeof value === 'string' && isRealDate(value))
    return `${JSON.stringify(value)} has no time and zone; write ${value}T00:00:00Z`
  const isUnquoted = typeof value === 'number' || typeof value === 'boolean'
  const shown = isHidden
    ? typeof value === 'string'
      ? 'This value'
      : `A ${typeof value}`
    : describeValue(value)
  const advice =
    isUnquoted && allowed.startsWith('a string')
      ? '. Put quotes around it'
      : typeof value === 'string' &&
          allowed.startsWith('an id (') &&
          /^[1-9]\d{0,9}$/.test(String(Number(value)))
        ? `; write ${Number(value)}`
        : ''
  return `${shown} is not ${allowed}${advice}`
}

/** Whether a value is a secret, which messages must not contain. */
function isSecret(path: Path, value: unknown): boolean {
  return typeof value !== 'object' && (path.includes('password') || path.includes('tokens'))
}

function describeValue(value: unknown): string {
  if (isObject(value)) return Object.keys(value).length > 0 ? 'A map' : 'An empty map'
  if (Array.isArray(value)) return 'A list'
  if (typeof value === 'number') return String(value) // also for infinite numbers
  return JSON.stringify(typeof value === 'string' && value.length > 60 ? `${value.slice(0, 57)}…` : value)
}
