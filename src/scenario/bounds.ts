import { Buffer } from 'node:buffer'
import { type Kind, kinds, type World } from '../world/World.ts'
import { type EntryPart, entryParts } from '../world/entries.ts'
import { tooManyFaults } from '../faults/checkFaults.ts'
import { maxFaults } from '../world/numbers.ts'
import { isObject } from '../world/mergePatch.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { toYaml } from './toYaml.ts'

/*
 * Size limits of inputs. An input is parsed, checked and applied without interruption, so these limits bound the time for which
 * other requests wait.
 */

/** Maximum size of a scenario or fixture in bytes, enough for about 20,000 services */
export const maxTextBytes = 8 * 1024 * 1024

/** Maximum size of YAML in bytes. Parsing it takes a hundred times as long as JSON. */
export const maxYamlBytes = 256 * 1024

/** Reports a text that is too long to load. */
export function textSizeIssue(bytes: number, isJson: boolean): string | undefined {
  if (bytes > maxTextBytes) return `${bytes} bytes. At most 8 MB are allowed`
  if (isJson || bytes <= maxYamlBytes) return undefined
  return `${bytes} bytes of YAML. At most 256 KB are allowed: write it as JSON (up to 8 MB), or let \`generate:\` make the records`
}

/** Maximum number of records of a kind, and of entries, in all accounts of a scenario, and maximum number of accounts. */
export const maxRecords = 20_000

/** Maximum number of records and entries that a patch may change, with those of the patches in its timeline entries. */
const maxPatchRecords = 1000

/** Maximum number of values in a patch, and in the body of a call: the fields and items of all maps and lists, at any depth. */
const maxValues = 16_000

type Fields = Readonly<Record<string, unknown>>

/** The parts that are counted: kinds of records, faults, timeline and history. */
const countedParts = [...kinds, ...entryParts]
type CountedPart = Kind | EntryPart

/** Reports too many records of a kind, including generated ones, for the account that exceeds the limit, or too many fields. */
export function sizeIssues(scenario: { accounts?: unknown }): PathIssue[] {
  const { accounts } = scenario
  const entries = isObject(accounts) ? Object.entries(accounts) : []
  if (entries.length > maxRecords) return [tooMany(['accounts'], entries.length)]
  const totals = new Map<CountedPart, number>()
  for (const [login, account] of entries)
    for (const kind of isObject(account) ? countedParts : []) {
      const { generate, [kind]: records } = account as Fields
      const generated = isObject(generate) ? Number(generate[kind]) || 0 : 0
      const total = (totals.get(kind) ?? 0) + countRecords(records) + generated
      if (total > maxRecords)
        return [tooMany(['accounts', login, ...(generated > 0 ? ['generate'] : []), kind], total)]
      totals.set(kind, total)
    }
  const path = findWideMap(scenario)
  return path ? [{ path, message: `More than ${maxRecords} fields`, isKey: true }] : []
}

/** The path of the first map with more keys than a scenario can need. Each is copied, checked and described. */
function findWideMap(value: unknown): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value) && Object.keys(value).length > maxRecords) return []
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const path = findWideMap(item)
    if (path) return [key, ...path]
  }
  return undefined
}

function tooMany(path: string[], count: number): PathIssue {
  return { path, message: `${count} ${path.at(-1)}. A scenario may have at most ${maxRecords}`, isKey: true }
}

/** Returns a scenario as JSON, unless it is too large to load. What is written must load. @throws TooLarge */
export function toLoadableJson(scenario: { accounts: unknown }): string {
  const [issue] = sizeIssues(scenario)
  if (issue) throw new TooLarge(`${issue.path.join('.')}: ${issue.message}`)
  const text = JSON.stringify(scenario)
  const tooLong = textSizeIssue(Buffer.byteLength(text), true)
  if (tooLong !== undefined) throw new TooLarge(tooLong)
  return text
}

/** Renders YAML. @param jsonName how to ask for JSON instead, for the message @throws TooLarge */
export async function toLoadableYaml(scenario: { accounts: unknown }, jsonName: string): Promise<string> {
  // Rendering takes long. YAML is longer than JSON, or not much shorter.
  const json = toLoadableJson(scenario)
  const text = json.length > 2 * maxYamlBytes ? json : await toYaml(scenario)
  if (Buffer.byteLength(text) <= maxYamlBytes) return text
  throw new TooLarge(`As YAML, it has more than 256 KB. Use ${jsonName}`)
}

/** A scenario is too large to load again. */
export class TooLarge extends Error {}

/** Reports too many values. Counting them takes little time, so this comes before all other checks. */
export function valueIssues(body: unknown): PathIssue[] {
  const count = countValues(body)
  const message = `${count} values. At most ${maxValues} are allowed at once: split them over several calls, or load a scenario`
  return count > maxValues ? [{ path: [], message }] : []
}

/** Counts the fields and items inside a value, at any depth. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const item of Object.values(value)) count += 1 + countValues(item)
  return count
}

/** Reports too many records or entries. Null removes all records of a kind, and a list of entries replaces all. */
export function patchSizeIssues(world: World, patch: Fields): PathIssue[] {
  const named = (part: CountedPart): number =>
    part === 'timeline' ? countInEntries(patch[part]) : countRecords(patch[part])
  const touched = (part: CountedPart): number => {
    const replacesAll = patch[part] === null || Array.isArray(patch[part])
    return Math.max(named(part), replacesAll ? world[part].size : 0)
  }
  const faultCount = countRecords(patch['faults'])
  if (faultCount > maxFaults) return [tooManyFaults(faultCount)]
  const total = countedParts.reduce((sum, part) => sum + touched(part), 0)
  if (total <= maxPatchRecords) return []
  const [largest = ''] = countedParts.toSorted((a, b) => touched(b) - touched(a))
  const message = `${total} records. A patch may have at most ${maxPatchRecords}, with those that it removes: send several, or load a scenario`
  return [{ path: [largest], message }]
}

/** Counts timeline entries. Each counts as many times as its patch has records, and at least once. */
function countInEntries(entries: unknown): number {
  if (typeof entries !== 'object' || entries === null) return 0
  return Object.values(entries).reduce<number>((sum, entry: unknown) => {
    const patch = isObject(entry) && isObject(entry['patch']) ? entry['patch'] : {}
    const count = countedParts.reduce((records, part) => records + countRecords(patch[part]), 0)
    return sum + Math.max(1, count)
  }, 0)
}

function countRecords(records: unknown): number {
  return typeof records === 'object' && records !== null ? Object.keys(records).length : 0
}
