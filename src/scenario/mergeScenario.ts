import { isSameFile } from '../lib/files.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import type { FaultTarget, PathIssue } from '../world/invariants.ts'
import { sizeIssues } from './bounds.ts'
import { normalizeAccount } from './normalizeAccount.ts'
import { schemaIssues } from './schemaIssues.ts'
import { fileOf, UnknownScenario, type NameIndex } from './NameIndex.ts'
import type { Issue } from '../lib/Issue.ts'
import { ScenarioError } from './ScenarioError.ts'
import { referencesSchema } from './schema.ts'
import { readSourceFile, type SourceText } from './SourceText.ts'

/** What a scenario can refer to. */
export interface References {
  scenarios: NameIndex
  fixtures: NameIndex
  operations: readonly FaultTarget[]
}

/** One of the files a scenario is merged from. */
interface Layer {
  source: SourceText
  /** Maps a path in the scenario to a path in this file; undefined if it can't come from here */
  local: (path: Path) => Path | undefined
}

/** A scenario with everything it extends and includes merged in. */
export interface Merged {
  value: Fields
  issues: Issue[]
  /** Reports an issue in the merged value where it comes from */
  locate: (issue: PathIssue) => Issue
}

type Path = PathIssue['path']
type Fields = Record<string, unknown>

/** Merges a scenario over everything it extends and includes. @throws ScenarioError */
export async function mergeScenario(source: SourceText, references: References): Promise<Merged> {
  const { value, layers, issues } = await merge(source, references, [source.file])
  return { value, issues, locate: (issue) => located(issue, layers) }
}

interface Layers {
  value: Fields
  /** Topmost first */
  layers: Layer[]
  issues: Issue[]
}

/** @param chain the files that extend each other so far, this one last */
async function merge(source: SourceText, references: References, chain: readonly string[]): Promise<Layers> {
  const wrong = schemaIssues(referencesSchema, source.value)
  if (wrong.length) throw new ScenarioError(wrong.map(source.locate))
  const { extends: parent, fixtures = [], $schema: _schema, ...given } = source.value
  const own = homed(given)
  const base: Layers =
    typeof parent === 'string'
      ? await extended(parent, source, references, chain)
      : { value: {}, layers: [], issues: [] }
  const included = await Promise.all(
    (fixtures as string[]).map((name, i) => readNamed(references, name, source, ['fixtures', i])),
  )
  const logins = loginsOf(base.value, own)
  let { value } = base
  const layers = base.layers
  for (const [i, fixture] of included.entries()) {
    const { patch, ...layer } = asLayer(fixture, logins)
    value = mergeInto(value, patch)
    if (sizeIssues(value).length)
      throw new ScenarioError(
        sizeIssues(value).map(({ message }) => source.locate({ path: ['fixtures', i], message })),
      )
    layers.unshift(layer)
  }
  const issues = [...base.issues, ...vainRemovals(own, value).map(source.locate)]
  return {
    value: Object.keys(value).length || issues.length ? mergeInto(value, own) : own,
    layers: [{ source, local: (path) => path }, ...layers],
    issues,
  }
}

/** With each setting of the accounts where it is stored. */
function homed(scenario: Fields): Fields {
  const { accounts } = scenario
  if (!isObject(accounts)) return scenario
  const entries = Object.entries(accounts)
  return {
    ...scenario,
    accounts: Object.fromEntries(
      entries.map(([login, account]) => [login, isObject(account) ? normalizeAccount(account) : account]),
    ),
  }
}

/** Changes nothing in place: a file's own value tells where in it something is (`SourceText`). */
function mergeInto(value: Fields, patch: Fields): Fields {
  return mergePatch(value, patch) as Fields
}

async function extended(
  parent: string,
  source: SourceText,
  references: References,
  chain: readonly string[],
): Promise<Layers> {
  // A file may shadow another one of the same name, and extend it.
  const base = await readNamed(references, parent, source, ['extends'])
  const before = chain.findIndex((file) => isSameFile(file, base.file))
  if (before >= 0) {
    const circle = [...chain.slice(before), base.file].join(' → ')
    throw new ScenarioError([
      source.locate({ path: ['extends'], message: `Scenarios extend each other in a circle: ${circle}` }),
    ])
  }
  return merge(base, references, [...chain, base.file])
}

async function readNamed(
  { scenarios, fixtures }: References,
  name: string,
  from: SourceText,
  path: Path,
): Promise<SourceText> {
  try {
    return await readSourceFile(
      path[0] === 'extends' ? fileOf(scenarios, name, from.file) : fileOf(fixtures, name),
    )
  } catch (error) {
    if (!(error instanceof UnknownScenario)) throw error
    throw new ScenarioError([from.locate({ path, message: error.message })])
  }
}

/** A fixture has records (products, clients…) that every account of the scenario gets, or lists the accounts itself. */
function asLayer(source: SourceText, logins: readonly string[]): Layer & { patch: Fields } {
  const { $schema: _schema, ...given } = source.value
  const records = homed('accounts' in given ? given : normalizeAccount(given))
  if ('accounts' in records) return { source, patch: records, local: (path) => path }
  return {
    source,
    patch: { accounts: Object.fromEntries(logins.map((login) => [login, records])) },
    local: ([first, login, ...rest]) =>
      first === 'accounts' && rest.length && logins.includes(String(login)) ? rest : undefined,
  }
}

/** Reports an issue in the layer that defines most of its path, as the mistake is there. */
function located(issue: PathIssue, layers: readonly Layer[]): Issue {
  const { path, missing } = issue
  const [top] = layers as [Layer]
  let found = { layer: top, path, reach: -1 }
  for (const layer of layers) {
    const local = layer.local(path)
    if (local === undefined) continue
    const own = reachOf(layer.source.value, local)
    const reach = own + path.length - local.length
    if (own > 0 && reach > found.reach) found = { layer, path: local, reach }
  }
  const above = layers.slice(0, layers.indexOf(found.layer))
  for (const { source, local } of missing ? above : []) {
    const removed = local(missing as Path)
    if (removed && valueAt(source.value, removed) === null)
      return source.locate({
        path: removed,
        message: `Removed here, but ${path.join('.')} needs it`,
        isKey: true,
      })
  }
  return found.layer.source.locate({ ...issue, path: found.path })
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

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), value)
}

/** A null that removes nothing is probably a typo. */
function vainRemovals(patch: Fields, base: Fields, at: Path = []): PathIssue[] {
  const issues: PathIssue[] = []
  for (const [key, value] of Object.entries(patch)) {
    const path = [...at, key]
    const old = Object.hasOwn(base, key) ? base[key] : undefined
    if (value === null && old === undefined)
      issues.push({ path, message: 'null removes, but there is nothing to remove here', isKey: true })
    if (isObject(value)) issues.push(...vainRemovals(value, isObject(old) ? old : {}, path))
  }
  return issues
}

/** The accounts of a scenario that is merged over another. */
function loginsOf(base: Fields, own: Fields): string[] {
  const below = isObject(base['accounts']) ? base['accounts'] : {}
  const above = isObject(own['accounts']) ? own['accounts'] : {}
  return Object.keys({ ...below, ...above }).filter((login) => above[login] !== null)
}
