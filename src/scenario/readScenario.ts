import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PathIssue } from '../world/invariants.ts'
import { checkScenario } from './checkScenario.ts'
import { mergeScenario, type References } from './mergeScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'
import { readSource, readSourceFile } from './SourceText.ts'

/** Maximum issues reported at once */
const maxIssues = 50

/**
 * Reads, merges and checks a scenario with everything it extends and includes.
 * @param text in place of the file; needs no description
 * @throws ScenarioError
 */
export async function readScenario(
  file: string,
  references: References,
  text?: string,
): Promise<ScenarioDocument> {
  const source = text === undefined ? await readSourceFile(file) : readSource(text, file)
  const { value, issues, locate } = await mergeScenario(source, references)
  const { description } = source.value
  // A file needs its own, even if it extends another.
  if (text === undefined && (description ?? undefined) === undefined)
    issues.push(
      source.locate({
        path: ['description'],
        message: 'Required: one line on what this scenario shows',
        isKey: true,
      }),
    )
  const document = { ...value, description: description ?? '(no description)' }
  const wrong: PathIssue[] = []
  for (const part of checkScenario(document, references.operations)) {
    wrong.push(...part)
    await nextTurn() // others get theirs in between
  }
  issues.push(...wrong.slice(0, maxIssues).map(locate))
  if (issues.length === 0) return document as unknown as ScenarioDocument
  const sorted = issues
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, maxIssues)
  const more = issues.length + Math.max(0, wrong.length - maxIssues) - sorted.length
  throw new ScenarioError([
    ...sorted,
    ...(more > 0 ? [{ file, path: '', message: `and at least ${more} more` }] : []),
  ])
}

/** The description of a scenario file, even if the scenario is invalid. @throws ScenarioError */
export async function readDescription(file: string): Promise<string> {
  const { description } = (await readSourceFile(file)).value
  return typeof description === 'string' ? description : 'has no description'
}
