import { Option, type Command } from 'commander'
import { UserError } from '../../UserError.ts'
import { percent } from '../arguments.ts'
import { ExitCode } from '../ExitCode.ts'
import { print } from '../print.ts'
import { createRemote, withRemoteFlags, type RemoteFlags } from '../remote.ts'
import { coverageLine, coverageShortfall, coverageTable, findingsText } from '../verdict.ts'

const examples = `
Examples:
  proxysim coverage
  proxysim coverage --format markdown >> "$GITHUB_STEP_SUMMARY"
  proxysim coverage --min-coverage 80      exits with 3 if coverage is lower`

interface Flags extends RemoteFlags {
  format: 'text' | 'json' | 'markdown' | 'junit'
  minCoverage?: number
}

export function coverage(command: Command): Command {
  return withRemoteFlags(
    command
      .addOption(
        new Option('--format <format>', 'output format')
          .choices(['text', 'json', 'markdown', 'junit'])
          .default('text'),
      )
      .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', percent),
  )
    .addHelpText('after', examples)
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  if (flags.json && flags.format !== 'json' && flags.format !== 'text')
    throw new UserError(`--json and --format ${flags.format} contradict each other; give one of them.`)
  const { sim } = await createRemote(flags)
  const report = await sim.coverage()
  if (flags.format === 'markdown' || flags.format === 'junit')
    print({}, undefined, await sim.coverage(flags.format))
  else {
    const isJson = flags.json === true || flags.format === 'json'
    const findings = isJson ? [] : await sim.findings()
    print({ json: isJson }, report, () =>
      [coverageTable(report), coverageLine(report), findingsText(findings)].join('\n'),
    )
  }
  const shortfall = coverageShortfall(report, flags.minCoverage)
  if (shortfall === undefined) return
  process.stderr.write(`proxysim: ${shortfall}\n`)
  process.exitCode = ExitCode.coverage
}
