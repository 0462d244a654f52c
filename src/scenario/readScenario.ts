import { UserError } from '../lib/UserError.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { consistencyIssues, structureIssues } from './checkScenario.ts'
import { locateIssue, mergeScenario, type References } from './mergeScenario.ts'
import { normalize } from '../service/index.ts'
import type { Interpretations, ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'
import { accountPartSchema, scenarioSchema } from './schema.ts'
import { removalIssues, schemaIssues } from './schemaIssues.ts'
import { readSource, readSourceFile } from './SourceText.ts'

/** Maximum number of reported issues */
const maxIssues = 50

/**
 * Reads, merges and checks a scenario with everything it extends and includes.
 * @param text used instead of the file's content; needs no description
 * @param mustBeJson as in `readSource`
 * @throws ScenarioError
 */
export async function readScenario(
  file: string,
  references: References,
  text?: string,
  mustBeJson?: boolean,
): Promise<ScenarioDocument> {
  const source = text === undefined ? await readSourceFile(file) : readSource(text, file, mustBeJson)
  const { value, layers } = await mergeScenario(source, references)
  // A file needs its own description, even if it extends another one.
  const description = source.value['description'] ?? (text === undefined ? undefined : '(no description)')
  const document = { description, ...value }
  let problems = structureIssues(document)
  const checked = document as unknown as ScenarioDocument
  if (problems.length === 0) problems = consistencyIssues(checked, references.operations)
  const removals = layers.flatMap(({ source: { locate }, patch, missingSegments }) =>
    [...removalIssues(scenarioSchema, patch), ...unquotedNulls(patch)].map(
      (issue) => () => locate({ ...issue, path: issue.path.slice(missingSegments) }),
    ),
  )
  const locators = [...removals, ...problems.map((issue) => () => locateIssue(layers, issue))]
  if (locators.length === 0) return checked
  // Locating an issue searches the whole text, so 20,000 issues would take minutes.
  const issues = locators
    .slice(0, maxIssues)
    .map((locate) => locate())
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  const more = locators.length - issues.length
  if (more > 0) issues.push({ file, path: '', message: `and at least ${more} more` })
  throw new ScenarioError(issues)
}

/** Reports interpretations that are named `null` but written without quotes, which removes the assumption. */
function unquotedNulls({ accounts }: Record<string, unknown>): PathIssue[] {
  return Object.entries(isObject(accounts) ? accounts : {}).flatMap(([login, account]) => {
    const assumptions = isObject(account) ? account['assumptions'] : undefined
    return Object.entries(isObject(assumptions) ? assumptions : {})
      .filter(
        ([id, value]) =>
          value === null && schemaIssues(accountPartSchema, { assumptions: { [id]: 'null' } }).length === 0,
      )
      .map(([id]) => ({
        path: ['accounts', login, 'assumptions', id],
        message: 'null removes the assumption. Put quotes around "null" to choose that interpretation',
      }))
  })
}

/** The description of a scenario file, even if the scenario is invalid. @throws ScenarioError */
export async function readDescription(file: string): Promise<string> {
  const { description } = (await readSourceFile(file)).value
  return typeof description === 'string' ? description : 'has no description'
}

/**
 * Overrides assumptions in all accounts of a scenario, so that they also apply after the client loads scenarios
 * or resets.
 * @throws UserError if an assumption or its value doesn't exist
 */
export function overrideAssumptions(
  assumptions: Interpretations,
): (document: ScenarioDocument) => ScenarioDocument {
  const patch = normalize({ assumptions })
  const [issue] = schemaIssues(accountPartSchema, patch)
  if (issue)
    throw new UserError([...issue.path.slice(1), issue.message].join(': '), { options: ['assumptions'] })
  return (document) => {
    const patches = Object.keys(document.accounts).map((login) => [login, patch])
    return mergePatch(document, { accounts: Object.fromEntries(patches) }) as ScenarioDocument
  }
}
