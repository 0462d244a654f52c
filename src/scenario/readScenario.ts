import type { Issue } from '../lib/Issue.ts'
import { checkScenarioInTurns } from './checkScenario.ts'
import { mergeScenario, type References } from './mergeScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'
import { readSource, readSourceFile, type SourceText } from './SourceText.ts'

/** Maximum issues reported at once */
const maxIssues = 50

/** A scenario's text, or its file. */
export interface Source {
  text?: string
  file: string
  /** In messages, in place of the file */
  shown?: string
}

/**
 * Reads, merges and checks a scenario with everything it extends and includes. An inline one needs no description.
 * @throws ScenarioError
 */
export async function readScenario(
  { text, file, shown }: Source,
  references: References,
): Promise<ScenarioDocument> {
  const source = text === undefined ? await readSourceFile(file, shown) : readSource(text, file)
  const { value, issues, locate } = await mergeScenario(source, references)
  const described = { ...value, description: source.value['description'] ?? '(no description)' }
  const wrong = await checkScenarioInTurns(described, references.operations)
  const found = [
    ...(text === undefined ? descriptionIssues(source) : []),
    ...issues,
    ...wrong.slice(0, maxIssues).map(locate),
  ]
  if (found.length)
    throw new ScenarioError(first(found, found.length + Math.max(0, wrong.length - maxIssues)))
  return described as unknown as ScenarioDocument
}

/** A file needs its own description, even if it extends another. */
function descriptionIssues({ value, locate }: SourceText): Issue[] {
  return (value['description'] ?? undefined) === undefined
    ? [
        locate({
          path: ['description'],
          message: 'Required: one line on what this scenario shows',
          isKey: true,
        }),
      ]
    : []
}

/** The description of a scenario file, even if the scenario is invalid. @throws ScenarioError */
export async function readDescription(file: string): Promise<string> {
  const { description } = (await readSourceFile(file)).value
  return typeof description === 'string' ? description : 'has no description'
}

/** Sorts issues by position, and limits them to what anybody would read. */
function first(issues: readonly Issue[], total: number): Issue[] {
  const sorted = issues
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, maxIssues)
  const { file = '' } = sorted[0] ?? {}
  return total > sorted.length
    ? [...sorted, { file, path: '', message: `and at least ${total - sorted.length} more` }]
    : sorted
}
