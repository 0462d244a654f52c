import type { ScenarioLibrary } from './ScenarioLibrary.ts'
import { UnknownScenario } from './NameIndex.ts'
import type { Issue } from '../Issue.ts'
import { ScenarioError } from './ScenarioError.ts'

/** What is wrong in one file; nothing where it can be loaded. */
export interface CheckedFile {
  file: string
  issues: readonly Issue[]
}

/**
 * Validates scenario files, as loading them would. Each is checked, whatever the others hold.
 * Mistakes in what a file extends or includes are told with the file that they stand in.
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
