import type { ScenarioLibrary } from './ScenarioLibrary.ts'
import { UnknownScenario } from './NameIndex.ts'
import type { Issue } from '../Issue.ts'
import { ScenarioError } from './ScenarioError.ts'

/** The issues of one file; none if it can be loaded. */
export interface CheckedFile {
  file: string
  issues: readonly Issue[]
}

/**
 * Validates scenario files exactly as loading them would, each on its own. Mistakes in extended or included files are
 * reported with that file.
 */
export async function checkFiles(files: readonly string[], library: ScenarioLibrary): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = []
  for (const file of files) checked.push({ file, issues: await issuesOf(file, library) })
  return checked
}

async function issuesOf(file: string, library: ScenarioLibrary): Promise<readonly Issue[]> {
  try {
    await library.loadFile(file)
    return []
  } catch (error) {
    if (error instanceof ScenarioError) return error.issues
    if (error instanceof UnknownScenario) return [{ file, path: '', message: error.message }]
    throw error
  }
}
