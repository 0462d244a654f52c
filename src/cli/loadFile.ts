import { basename, extname } from 'node:path'
import type { ControlPlane } from '../client/ControlPlane.ts'
import type { LoadResult } from '../contract/shapes.ts'
import { SimulatorError } from '../client/SimulatorError.ts'
import { missingField, type Issue } from '../lib/Issue.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { describeIssue, postedName, ScenarioError } from '../scenario/ScenarioError.ts'
import { UserError } from '../lib/UserError.ts'

/**
 * Loads a scenario file into a simulator. The file may extend the simulator's scenarios, and files in its own folder.
 * @throws UserError with file, line and column
 */
export async function loadFile(plane: ControlPlane, file: string): Promise<LoadResult> {
  const { readSource, readSourceText } = await import('../scenario/SourceText.ts')
  const body = await readSourceText(file)
  const { value, locate } = readSource(body, file)
  // The control plane accepts a scenario without a description; a file needs one, as for `check`.
  if (value['description'] === undefined) {
    const issue = { path: ['description'], message: missingField, isKey: true }
    throw new ScenarioError([locate(issue)])
  }
  const query = { name: basename(file, extname(file)) }
  const type = file.endsWith('.json') ? 'application/json' : 'application/yaml'
  try {
    return await plane.json<LoadResult>('PUT', '/scenario', { query, body, type })
  } catch (error) {
    const [first, ...more] = error instanceof SimulatorError ? error.details : []
    if (!first) throw error
    const merged = isReferenceIssue(first) ? await merge(file, body) : undefined
    if (merged) return await plane.json<LoadResult>('PUT', '/scenario', { query, body: merged })
    // The file may extend a scenario in a folder of the server.
    const issueFile = first.file === undefined || first.file === postedName ? file : first.file
    throw new UserError(
      `${describeIssue({ ...first, file: issueFile })}${more.length ? ` (and ${more.length} more)` : ''}`,
      { cause: error, code: 'ERR_PROXYSIM_SCENARIO' },
    )
  }
}

/** Merges a file with other local files, which the simulator can't read. @returns undefined if one is missing */
async function merge(file: string, text: string): Promise<ScenarioDocument | undefined> {
  const { loadContract } = await import('../contract/loadContract.ts')
  const { openScenarioLibrary } = await import('../scenario/ScenarioLibrary.ts')
  const library = await openScenarioLibrary(await loadContract())
  try {
    return (await library.loadFile(file, text)).document
  } catch (error) {
    const [first] = error instanceof ScenarioError ? error.issues : []
    if (first?.file === file && isReferenceIssue(first)) return undefined
    throw error
  }
}

function isReferenceIssue({ path }: Issue): boolean {
  return /^(?:extends|fixtures\b)/.test(path)
}
