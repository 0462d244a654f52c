import { isSameFile } from '../lib/files.ts'
import type { Issue } from '../lib/Issue.ts'
import type { FaultTarget, PathIssue } from '../world/invariants.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { sizeIssues } from './bounds.ts'
import { UnknownScenario, type NameIndex } from './NameIndex.ts'
import { normalizeAccount } from './normalizeAccount.ts'
import { ScenarioError } from './ScenarioError.ts'
import { referencesSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'
import { readSourceFile, type SourceText } from './SourceText.ts'

/** More than anybody would read */
const maxOdd = 100

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
interface Merged {
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
  const refuse = (path: Path, message: string): never => {
    throw new ScenarioError([source.locate({ path, message })])
  }
  const readNamed = (path: Path, fileOf: () => string): Promise<SourceText> => {
    try {
      return readSourceFile(fileOf())
    } catch (error) {
      if (!(error instanceof UnknownScenario)) throw error
      return refuse(path, error.message)
    }
  }
  const wrong = schemaIssues(referencesSchema, source.value)
  if (wrong.length) throw new ScenarioError(wrong.map(source.locate))
  const { extends: parent, fixtures = [], $schema: _schema, ...given } = source.value
  const own = normalized(given)

  let merged: Layers = { value: {}, layers: [], issues: [] }
  if (typeof parent === 'string') {
    // A file may shadow another one of the same name, and extend it.
    const base = await readNamed(['extends'], () => references.scenarios.fileOf(parent, source.file))
    const before = chain.findIndex((file) => isSameFile(file, base.file))
    if (before >= 0) {
      const circle = [...chain.slice(before), base.file].join(' → ')
      refuse(['extends'], `Scenarios extend each other in a circle: ${circle}`)
    }
    merged = await merge(base, references, [...chain, base.file])
  }
  let { value } = merged
  const layers = [...merged.layers]
  const logins = loginsOf(value, own)
  for (const [i, name] of (fixtures as string[]).entries()) {
    const fixture = await readNamed(['fixtures', i], () => references.fixtures.fileOf(name))
    const { patch, ...layer } = asLayer(fixture, logins)
    value = mergePatch(value, patch) as Fields
    const [large] = sizeIssues(value)
    if (large) refuse(['fixtures', i], large.message)
    layers.unshift(layer)
  }
  return {
    value: mergePatch(value, own) as Fields,
    layers: [{ source, local: (path) => path }, ...layers],
    issues: [...merged.issues, ...oddKeys(own, value).slice(0, maxOdd).map(source.locate)],
  }
}

/** With each setting of the accounts where it is stored. */
function normalized(scenario: Fields): Fields {
  const { accounts } = scenario
  if (!isObject(accounts)) return scenario
  const entries = Object.entries(accounts).map(([login, account]) => [
    login,
    isObject(account) ? normalizeAccount(account) : account,
  ])
  return { ...scenario, accounts: Object.fromEntries(entries) }
}

/** A fixture has records (products, clients…) that every account of the scenario gets, or lists the accounts itself. */
function asLayer(source: SourceText, logins: readonly string[]): Layer & { patch: Fields } {
  const { $schema: _schema, ...given } = source.value
  if ('accounts' in given) return { source, patch: normalized(given), local: (path) => path }
  const records = normalizeAccount(given)
  return {
    source,
    patch: { accounts: Object.fromEntries(logins.map((login) => [login, records])) },
    local: ([first, login, ...rest]) =>
      first === 'accounts' && rest.length && logins.includes(String(login)) ? rest : undefined,
  }
}

/** Reports an issue in the layer that defines most of its path, as the mistake is there. */
function located(issue: PathIssue, layers: readonly Layer[]): Issue {
  const [top] = layers as [Layer]
  let found = { source: top.source, path: issue.path, reach: -1 }
  for (const { source, local } of layers) {
    const path = local(issue.path)
    if (path === undefined) continue
    const own = reachOf(source.value, path)
    const reach = own + issue.path.length - path.length
    if (own > 0 && reach > found.reach) found = { source, path, reach }
  }
  return found.source.locate({ ...issue, path: found.path })
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

/** Keys that a merge would ignore: a null that removes nothing is probably a typo. */
function oddKeys(patch: Fields, base: Fields, at: Path = []): PathIssue[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const path = [...at, key]
    if (key === '__proto__') return [{ path, message: 'The key "__proto__" is not allowed', isKey: true }]
    const old = Object.hasOwn(base, key) ? base[key] : undefined
    if (value === null && old === undefined)
      return [{ path, message: 'null removes, but there is nothing to remove here', isKey: true }]
    return isObject(value) ? oddKeys(value, isObject(old) ? old : {}, path) : []
  })
}

/** The accounts of a scenario that is merged over another. */
function loginsOf(base: Fields, own: Fields): string[] {
  const below = isObject(base['accounts']) ? base['accounts'] : {}
  const above = isObject(own['accounts']) ? own['accounts'] : {}
  return Object.keys({ ...below, ...above }).filter((login) => above[login] !== null)
}
