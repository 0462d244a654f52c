import { Option, type Command } from 'commander'
import type { CoverageReport, Finding } from '../../admin/shapes.ts'
import { coverageReport, coverageShortfall } from '../../journal/coverageReport.ts'
import { junit } from '../../report/junit.ts'
import { markdown } from '../../report/markdown.ts'
import { json } from '../../report/Report.ts'
import { text } from '../../report/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { ExitCode } from '../ExitCode.ts'
import { checkReports, writeReports } from '../files.ts'
import { findingsPart } from '../findingsPart.ts'
import { percent } from '../flags.ts'
import { print, printDocument, say } from '../output.ts'
import { connect, scopeOf, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim coverage
  proxysim coverage --format markdown >> "$GITHUB_STEP_SUMMARY"
  proxysim coverage --output coverage.xml
  proxysim coverage --min-coverage 80      exits with 3 if coverage is lower`

interface Flags extends RemoteFlags {
  format: 'text' | 'json' | 'markdown' | 'junit'
  minCoverage?: number
  output?: string
}

export function coverage(command: Command): Command {
  return withAccountFlags(command)
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(['text', 'json', 'markdown', 'junit'])
        .default('text'),
    )
    .option('--output <file>', 'write it to a file: .md, .json, .xml (JUnit)')
    .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', percent)
    .addHelpText('after', examples)
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const format = flags.json && flags.format === 'text' ? 'json' : flags.format
  if (flags.json && format !== 'json')
    throw new UserError(`--json and --format ${format} contradict each other. Use one of them.`)
  if (flags.output !== undefined) checkReports([flags.output], ['.md', '.json', '.xml'])
  const plane = await connect(flags)
  const covered = await plane.json<CoverageReport>('GET', '/coverage', scopeOf(flags))
  const report = coverageReport(covered)
  if (flags.output !== undefined) await writeReports([flags.output], report)
  if (format === 'json') printDocument(json(report.data))
  else if (format === 'markdown') printDocument(markdown(report))
  else if (format === 'junit') printDocument(junit(report))
  else {
    const findings = await plane.json<Finding[]>('GET', '/findings', scopeOf(flags))
    print(text({ ...report, parts: [...report.parts, ...findingsPart(findings)] }))
  }
  const shortfall = coverageShortfall(covered, flags.minCoverage)
  if (shortfall === undefined) return
  say(shortfall)
  process.exitCode = ExitCode.coverage
}
