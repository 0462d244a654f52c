import { isSameFile } from '../lib/files.ts'
import type { Issue } from '../lib/Issue.ts'
import type { FaultTarget } from '../faults/checkFaults.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { normalize } from '../service/index.ts'
import { type EntryPart, isEntryPart, listIds, mergeAccount } from '../world/entries.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { sizeIssues } from './bounds.ts'
import { structureIssues } from './checkScenario.ts'
import { type NameIndex, UnknownScenario } from './NameIndex.ts'
import { ScenarioError } from './ScenarioError.ts'
import { referencesSchema } from './schema.ts'
import { readSourceFile, type SourceText } from './SourceText.ts'
import { expandShorthand } from './expandShorthand.ts'

/** The files that a scenario can refer to. */
export interface References {
  scenarios: NameIndex
  fixtures: NameIndex
  operations: readonly FaultTarget[]
}

/** A file that a scenario is merged from. */
interface Layer {
  source: SourceText
  /** Its content in the form of a scenario */
  patch: Fields
  /** Number of path segments that the file lacks, because a fixture may contain only the records of an account */
  missingSegments: number
}

/** A scenario merged with everything it extends and includes, without their descriptions. */
interface Merged {
  value: Fields
  /** Files in order of precedence */
  layers: Layer[]
}

type Path = PathIssue['path']
type Fields = Record<string, unknown>

/**
 * Merges a scenario over everything it extends and includes.
 * @param extendingFiles the files that extend this one
 * @throws ScenarioError
 */
export async function mergeScenario(
  source: SourceText,
  references: References,
  extendingFiles: readonly string[] = [],
): Promise<Merged> {
  const refuse = (...issues: PathIssue[]): never => {
    throw new ScenarioError(issues.map(source.locate))
  }
  const readNamed = (path: Path, findFile: () => string): Promise<SourceText> => {
    try {
      return readSourceFile(findFile())
    } catch (error) {
      if (error instanceof UnknownScenario) return refuse({ path, message: error.message })
      throw error
    }
  }
  const addLayer = (layer: Layer, { value, layers }: Merged): Merged => ({
    value: mergeLayers(value, layer.patch),
    layers: [layer, ...layers],
  })

  const issues = structureIssues(source.value, referencesSchema)
  if (issues.length > 0) refuse(...issues)
  const {
    extends: parent,
    fixtures = [],
    description: _own,
    $schema: _schema,
    $comment: _comment,
    ...content
  } = source.value
  const patch = normalizeAccounts(content)
  let merged: Merged = { value: {}, layers: [] }
  if (typeof parent === 'string') {
    // A file may extend another one with the same name that it shadows.
    const base = await readNamed(['extends'], () => references.scenarios.findFile(parent, source.file))
    const files = [...extendingFiles, source.file]
    const first = files.findIndex((file) => isSameFile(file, base.file))
    if (first >= 0) {
      const circle = [...files.slice(first), base.file].join(' → ')
      refuse({ path: ['extends'], message: `Scenarios extend each other in a circle: ${circle}` })
    }
    merged = await mergeScenario(base, references, files)
  }
  const logins = Object.keys({ ...getAccounts(merged.value), ...getAccounts(patch) })
  for (const [i, name] of (fixtures as string[]).entries()) {
    const fixture = await readNamed(['fixtures', i], () => references.fixtures.findFile(name))
    const layer = createFixtureLayer(fixture, logins)
    const [sizeIssue] = sizeIssues(layer.patch)
    if (sizeIssue) refuse({ path: ['fixtures', i], message: sizeIssue.message })
    merged = addLayer(layer, merged)
  }
  return addLayer({ source, patch, missingSegments: 0 }, merged)
}

/** A fixture either contains accounts, or records (products, clients…) for every account of the scenario. */
function createFixtureLayer(source: SourceText, logins: readonly string[]): Layer {
  const { $schema: _schema, $comment: _comment, ...content } = source.value
  if ('accounts' in content) return { source, patch: normalizeAccounts(content), missingSegments: 0 }
  const records = normalize(expandShorthand(content))
  return {
    source,
    patch: { accounts: Object.fromEntries(logins.map((login) => [login, records])) },
    missingSegments: 2,
  }
}

function getAccounts({ accounts }: Fields): Fields {
  return isObject(accounts) ? accounts : {}
}

/** Moves each setting of the accounts to where it is stored. */
function normalizeAccounts(scenario: Fields): Fields {
  if (!isObject(scenario['accounts'])) return scenario
  const accounts = Object.entries(scenario['accounts']).map(([login, account]) => [
    login,
    isObject(account) ? normalize(expandShorthand(account)) : account,
  ])
  return { ...scenario, accounts: Object.fromEntries(accounts) }
}

/** Applies a layer to those below it. */
function mergeLayers(below: Fields, layer: Fields): Fields {
  const merged = mergePatch(below, layer) as Fields
  if (!isObject(merged['accounts'])) return merged
  const accounts = { ...merged['accounts'] }
  for (const [login, patch] of Object.entries(getAccounts(layer)))
    if (isObject(accounts[login])) accounts[login] = mergeAccount(getAccounts(below)[login], patch)
  return { ...merged, accounts }
}

/** Locates an issue of a merged scenario in the file that contains the longest part of its path, which probably caused it. */
export function locateIssue(layers: readonly Layer[], issue: PathIssue): Issue {
  const paths = layers.map((layer) => pathInLayer(layer, issue.path))
  const reaches = layers.map(({ patch, missingSegments }, i) => {
    const reach = matchLength(patch, paths[i] as Path)
    return reach > missingSegments ? reach : 0
  })
  const found = reaches.indexOf(Math.max(...reaches))
  const { source, missingSegments } = layers[found] as Layer
  return source.locate({ ...issue, path: (paths[found] as Path).slice(missingSegments) })
}

/** The path of an entry in a layer that lists the entries that the merged scenario has by id. */
function pathInLayer({ patch }: Layer, path: Path): Path {
  const [accounts, login = '', part, id, ...rest] = path
  const account = getAccounts(patch)[login]
  const list = isObject(account) && isEntryPart(part) ? account[part] : undefined
  if (typeof id !== 'string' || !Array.isArray(list)) return path
  return [accounts, login, part, listIds(part as EntryPart, list).indexOf(Number(id)), ...rest] as Path
}

/** The number of path segments that exist in a value. */
function matchLength(value: unknown, path: Path): number {
  let current = value
  for (const [reach, part] of path.entries()) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return reach
    current = (current as Record<string | number, unknown>)[part]
  }
  return path.length
}
