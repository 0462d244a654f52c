import { isSameFile } from '../isSameFile.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import type { FaultTarget, PathIssue } from '../world/invariants.ts'
import { schemaIssues } from './schemaIssues.ts'
import { fileOf, UnknownScenario, type NameIndex } from './NameIndex.ts'
import { TooLong } from './readSourceText.ts'
import type { Issue } from '../Issue.ts'
import { ScenarioError } from './ScenarioError.ts'
import { referencesSchema } from './schema.ts'
import { readSourceFile, type Path, type SourceText } from './SourceText.ts'

/** What a scenario can refer to, and how it is read. */
export interface References {
  scenarios: NameIndex
  fixtures: NameIndex
  operations: readonly FaultTarget[]
  /** Maximum bytes of each text and file: what takes longer to read is `TooLong`. Defaults to any. */
  longest?: number
}

/** Maximum copies of fixtures, as each account has its own, in what isn't too long */
const mostCopies = 20

/** One of the files a scenario is merged from. */
interface Layer {
  source: SourceText
  /** Maps a path in the scenario to a path in this file; undefined if it can't come from here */
  local: (path: Path) => Path | undefined
}

/** A scenario with everything it extends and includes merged in. */
export interface Merged {
  value: Record<string, unknown>
  issues: Issue[]
  /** Reports an issue in the merged value where it comes from */
  issue: (mistake: PathIssue) => Issue
}

/** Merges a scenario over everything it extends and includes. @throws ScenarioError */
export async function mergeScenario(source: SourceText, references: References): Promise<Merged> {
  const { value, layers, issues } = await merge(source, references, [source.file])
  return { value, issues, issue: (mistake) => issueOf(mistake, layers) }
}

interface Layers {
  value: Record<string, unknown>
  /** Topmost first */
  layers: Layer[]
  issues: Issue[]
}

/** @param under the chain of files that extend this one, including itself */
async function merge(source: SourceText, references: References, under: readonly string[]): Promise<Layers> {
  const wrong = schemaIssues(referencesSchema, source.value)
  if (wrong.length)
    throw new ScenarioError(wrong.map(({ path, message, isKey }) => source.issue(path, message, isKey)))
  const { extends: parent, fixtures = [], $schema: _schema, ...own } = source.value
  const base = typeof parent === 'string' ? await extended(parent, source, references, under) : nothing()
  const included = await Promise.all(
    (fixtures as string[]).map((name, i) => readNamed(references, name, source, ['fixtures', i])),
  )
  const logins = included.length ? loginsOf(base.value, own) : []
  if (references.longest !== undefined && logins.length * included.length > mostCopies) throw new TooLong()
  const fixed = included.map((fixture) => asLayer(fixture, logins))
  const below = fixed.reduce((value, { patch }) => mergeInto(value, patch), base.value)
  const vain: Issue[] = []
  findVainRemovals(source, vain, own, below, [])
  return {
    // If nothing is merged or removed, use the value as is: copying a large state is expensive.
    value: Object.keys(below).length === 0 && vain.length === 0 ? own : mergeInto(below, own),
    layers: [{ source, local: (path) => path }, ...fixed.toReversed(), ...base.layers],
    issues: [...base.issues, ...vain],
  }
}

/** Changes nothing in place: a file's own value tells where in it something is (`SourceText`). */
function mergeInto(value: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  return mergePatch(value, patch) as Record<string, unknown>
}

function nothing(): Layers {
  return { value: {}, layers: [], issues: [] }
}

async function extended(
  parent: string,
  source: SourceText,
  references: References,
  under: readonly string[],
): Promise<Layers> {
  // A file may shadow another one of the same name, and extend it.
  const base = await readNamed(references, parent, source, ['extends'])
  const before = under.findIndex((file) => isSameFile(file, base.file))
  if (before >= 0) {
    const circle = [...under.slice(before), base.file].join(' → ')
    throw new ScenarioError([source.issue(['extends'], `scenarios extend each other in a circle: ${circle}`)])
  }
  return merge(base, references, [...under, base.file])
}

async function readNamed(
  { scenarios, fixtures, longest }: References,
  name: string,
  from: SourceText,
  path: Path,
): Promise<SourceText> {
  let file: string
  try {
    file = path[0] === 'extends' ? fileOf(scenarios, name, from.file) : fileOf(fixtures, name)
  } catch (error) {
    if (error instanceof UnknownScenario) throw new ScenarioError([from.issue(path, error.message)])
    throw error
  }
  return readSourceFile(file, file, longest)
}

/**
 * A fixture either has records (products, clients…) that every account of the scenario gets, or lists the accounts
 * itself.
 */
function asLayer(source: SourceText, logins: readonly string[]): Layer & { patch: Record<string, unknown> } {
  const { $schema: _schema, ...records } = source.value
  if ('accounts' in records) return { source, patch: records, local: (path) => path }
  return {
    source,
    patch: { accounts: Object.fromEntries(logins.map((login) => [login, structuredClone(records)])) },
    local: ([first, login, ...rest]) =>
      first === 'accounts' && rest.length && logins.includes(String(login)) ? rest : undefined,
  }
}

/** Reports an issue in the layer that defines most of its path, as the mistake is there. */
function issueOf(issue: PathIssue, layers: readonly Layer[]): Issue {
  const { path, message, isKey, missing } = issue
  const [top] = layers as [Layer]
  let found = { layer: top, path, reach: -1 }
  for (const layer of layers) {
    const local = layer.local(path)
    if (local === undefined) continue
    const own = reachOf(layer.source.value, local)
    const reach = own + path.length - local.length
    if (own > 0 && reach > found.reach) found = { layer, path: local, reach }
  }
  const remover = missing && removerOf(missing, layers.slice(0, layers.indexOf(found.layer)))
  if (remover)
    return remover.layer.source.issue(remover.path, `is removed here, but ${path.join('.')} needs it`, true)
  return found.layer.source.issue(found.path, message, isKey)
}

/** How many parts of the path exist in a value. */
function reachOf(value: unknown, path: Path): number {
  let found = value
  for (const [reach, part] of path.entries()) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return reach
    found = (found as Record<string | number, unknown>)[part]
  }
  return path.length
}

function removerOf(record: Path, layers: readonly Layer[]): { layer: Layer; path: Path } | undefined {
  for (const layer of layers) {
    const path = layer.local(record)
    const found = path?.reduce<unknown>(
      (value, part) => (isObject(value) ? value[part] : undefined),
      layer.source.value,
    )
    if (path && found === null) return { layer, path }
  }
  return undefined
}

/** A null that removes nothing is probably a typo. There may be a hundred thousand. */
function findVainRemovals(
  source: SourceText,
  vain: Issue[],
  patch: Record<string, unknown>,
  base: Record<string, unknown>,
  at: Path,
): void {
  for (const [key, value] of Object.entries(patch)) {
    const old = Object.hasOwn(base, key) ? base[key] : undefined
    if (value === null && old === undefined)
      vain.push(source.issue([...at, key], 'null removes, but there is nothing to remove here', true))
    if (isObject(value)) findVainRemovals(source, vain, value, isObject(old) ? old : {}, [...at, key])
  }
}

/** The accounts of a scenario that is merged over another. There may be a hundred thousand. */
function loginsOf(base: Record<string, unknown>, own: Record<string, unknown>): string[] {
  const below = isObject(base['accounts']) ? base['accounts'] : {}
  const above = isObject(own['accounts']) ? own['accounts'] : {}
  return Object.keys({ ...below, ...above }).filter((login) => above[login] !== null)
}
