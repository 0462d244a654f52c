import type { Contract } from '../contract/Contract.ts'
import { checkScenario } from './checkScenario.ts'
import { inTurns } from './inTurns.ts'
import { mergeScenario, type Names } from './mergeScenario.ts'
import { readSourceFile } from './readSourceFile.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import type { Issue } from '../Issue.ts'
import { ScenarioError } from './ScenarioError.ts'
import { readSource, type SourceText } from './SourceText.ts'

/*
 * Reading scenarios: YAML, merging, checking. It is loaded when something is to be read that the build has not read
 * already (`ScenarioLibrary.ts`).
 */

/** Mistakes that are told at once */
const mostIssues = 50

/** A scenario with all that it extends and includes. @throws ScenarioError */
export async function readScenarioFile(
  file: string,
  names: Names,
  contract: Contract,
  shown?: string,
): Promise<ScenarioDocument> {
  const source = await readSourceFile(file, shown)
  return finish(source, names, contract, describedItself(source))
}

/** One that was given inline, so it need not describe itself. @param name what to call it in messages. @throws ScenarioError */
export async function readScenarioText(
  text: string,
  name: string,
  names: Names,
  contract: Contract,
): Promise<ScenarioDocument> {
  return finish(await readSource(text, name), names, contract)
}

/** @param own what is wrong with the text besides */
async function finish(
  source: SourceText,
  names: Names,
  contract: Contract,
  own: readonly Issue[] = [],
): Promise<ScenarioDocument> {
  const { value, issues, issue } = await mergeScenario(source, names)
  const described = { ...value, description: source.value['description'] ?? undescribed }
  const wrong = await inTurns(checkScenario(described, contract.operations))
  const found = [...own, ...issues, ...wrong.slice(0, mostIssues).map(issue)]
  if (found.length)
    throw new ScenarioError(limited(found, found.length + Math.max(0, wrong.length - mostIssues)))
  return described as unknown as ScenarioDocument
}

const undescribed = '(no description)'

/** A scenario describes itself: what it extends is described by its own words. */
function describedItself(source: SourceText): Issue[] {
  return (source.value['description'] ?? undefined) === undefined
    ? [source.issue(['description'], 'is required: one line on what this scenario shows', true)]
    : []
}

/** What a scenario says of itself, whatever else is wrong with it. */
export async function descriptionOf(file: string): Promise<string> {
  try {
    const { description } = (await readSourceFile(file)).value
    return typeof description === 'string' ? description : 'has no description'
  } catch (error) {
    return `can't be read: ${(error as Error).message.split('\n', 1)[0]}`
  }
}

/** In the order of the text, and no more than anybody reads. */
function limited(issues: readonly Issue[], total: number): Issue[] {
  const sorted = issues
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, mostIssues)
  const [first] = sorted
  return first && total > sorted.length
    ? [...sorted, { file: first.file ?? '', path: '', message: `and at least ${total - sorted.length} more` }]
    : sorted
}
