import { access, constants } from 'node:fs/promises'
import type { Issue } from '../../lib/Issue.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Command } from 'commander'
import { ExitCode } from '../ExitCode.ts'
import { printResult } from '../output.ts'

interface Flags {
  scenarios?: string
  json?: boolean
}

const examples = `
Exits with 1 if a file is invalid. Each issue is one line: file:line:column, what is wrong, and a suggestion or the allowed values.

Example:
  proxysim check scenarios/*.yaml`

export function check(command: Command): Command {
  return command
    .argument('<file...>', 'scenario files')
    .option('--scenarios <dir>', 'a folder with your own scenarios, for `extends`')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(run)
}

async function run(files: string[], flags: Flags): Promise<void> {
  const { loadContract } = await import('../../contract/loadContract.ts')
  const { openScenarioLibrary } = await import('../../scenario/ScenarioLibrary.ts')
  const { describeIssue } = await import('../../scenario/ScenarioError.ts')
  const library = await openScenarioLibrary(await loadContract(), flags.scenarios)
  const checked: { file: string; issues: readonly Issue[] }[] = []
  const unreadable: UserError[] = []
  for (const file of files)
    try {
      await access(file, constants.R_OK)
      checked.push({ file, issues: await library.check(file) })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      unreadable.push(new UserError(`Can't read ${file} (${code}).`, { cause: error }))
    }
  const hasIssues = checked.some(({ issues }) => issues.length > 0)
  if (checked.length > 0)
    printResult(flags, checked, () =>
      [
        ...checked.flatMap(({ file, issues }) =>
          issues.length ? issues.map(describeIssue) : [`${file}: ok`],
        ),
        // Rules that compare fields are only checked once every field is valid.
        ...(hasIssues ? ['Fix these issues, then check again. There may be more.'] : []),
      ].join('\n'),
    )
  const [first] = unreadable
  if (first) throw first
  if (hasIssues) process.exitCode = ExitCode.failed
}
