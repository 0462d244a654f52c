import type { Contract } from '../contract/Contract.ts'
import { checkScenario } from './checkScenario.ts'
import { runAsync } from './runAsync.ts'
import { mergeScenario, type Names } from './mergeScenario.ts'
import { readSourceFile } from './readSourceFile.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import type { Issue } from '../Issue.ts'
import { ScenarioError } from './ScenarioError.ts'
import { readSource, type SourceText } from './SourceText.ts'

/*
 * Reads, merges and checks scenarios. Only loaded if something isn't precompiled by the build (`ScenarioLibrary.ts`).
 */

/** Maximum issues reported at once */
const mostIssues = 50

/** Reads a scenario with everything it extends and includes. @throws ScenarioError */
export async function readScenarioFile(
  file: string,
  names: Names,
  contract: Contract,
  shown?: string,
): Promise<ScenarioDocument> {
  const source = await readSourceFile(file, shown)
  return finish(source, names, contract, describedItself(source))
}

/**
 * Reads an inline scenario, which needs no description. @param name what to call it in messages @throws ScenarioError
 */
export async function readScenarioText(
  text: string,
  name: string,
  names: Names,
  contract: Contract,
): Promise<ScenarioDocument> {
  return finish(await readSource(text, name), names, contract)
}

/** @param own issues of the text itself */
async function finish(
  source: SourceText,
  names: Names,
  contract: Contract,
  own: readonly Issue[] = [],
): Promise<ScenarioDocument> {
  const { value, issues, issue } = await mergeScenario(source, names)
  const described = { ...value, description: source.value['description'] ?? undescribed }
  const wrong = await runAsync(checkScenario(described, contract.operations))
  const found = [...own, ...issues, ...wrong.slice(0, mostIssues).map(issue)]
  if (found.length)
    throw new ScenarioError(limited(found, found.length + Math.max(0, wrong.length - mostIssues)))
  return described as unknown as ScenarioDocument
}

const undescribed = '(no description)'

/** A scenario needs its own description, even if it extends another. */
function describedItself(source: SourceText): Issue[] {
  return (source.value['description'] ?? undefined) === undefined
    ? [source.issue(['description'], 'is required: one line on what this scenario shows', true)]
    : []
}

/** A scenario's description, even if the scenario is invalid. */
export async function descriptionOf(file: string): Promise<string> {
  try {
    const { description } = (await readSourceFile(file)).value
    return typeof description === 'string' ? description : 'has no description'
  } catch (error) {
    return `can't be read: ${(error as Error).message.split('\n', 1)[0]}`
  }
}

/** Sorts issues by position, and limits them to what anybody would read. */
function limited(issues: readonly Issue[], total: number): Issue[] {
  const sorted = issues
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, mostIssues)
  const [first] = sorted
  return first && total > sorted.length
    ? [...sorted, { file: first.file ?? '', path: '', message: `and at least ${total - sorted.length} more` }]
    : sorted
}
