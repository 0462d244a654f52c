import { checkScenario } from './checkScenario.ts'
import { mergeScenario, type References } from './mergeScenario.ts'
import { TooLong } from './readSourceText.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import type { Issue } from '../Issue.ts'
import { ScenarioError } from './ScenarioError.ts'
import { readSource, readSourceFile, type SourceText } from './SourceText.ts'

/*
 * Reads, merges and checks scenarios. Only loaded if something isn't precompiled by the build (`ScenarioLibrary.ts`).
 */

/** Maximum issues reported at once */
const mostIssues = 50

/** A scenario's text, or its file. */
export interface Source {
  text?: string
  file: string
  /** In messages, in place of the file */
  shown?: string
}

/**
 * Reads a scenario with everything it extends and includes. An inline one needs no description.
 * @throws ScenarioError, TooLong
 */
export async function readScenario(
  { text, file, shown }: Source,
  references: References,
): Promise<ScenarioDocument> {
  const { operations, longest = Infinity } = references
  if (text !== undefined && text.length > longest) throw new TooLong()
  const source = text === undefined ? await readSourceFile(file, shown, longest) : readSource(text, file)
  const { value, issues, issue } = await mergeScenario(source, references)
  const described = { ...value, description: source.value['description'] ?? undescribed }
  const wrong = checkScenario(described, operations)
  const found = [
    ...(text === undefined ? describedItself(source) : []),
    ...issues,
    ...wrong.slice(0, mostIssues).map(issue),
  ]
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

/** A scenario's description, even if the scenario is invalid. @throws ScenarioError, TooLong */
export async function readDescription({ file }: Source, { longest }: References): Promise<string> {
  const { description } = (await readSourceFile(file, file, longest)).value
  return typeof description === 'string' ? description : 'has no description'
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
