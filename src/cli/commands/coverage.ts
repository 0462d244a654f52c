import { Option, type Command } from 'commander'
import { coverageReport, coverageShortfall } from '../../journal/coverageReport.ts'
import { text } from '../../report/text.ts'
import { ExitCode } from '../ExitCode.ts'
import { renderers, writeReports } from '../files.ts'
import { findingsSection } from '../findingsSection.ts'
import { parsePercent, reportKinds, reportParser } from '../flags.ts'
import { print, printDocument, printMessage } from '../output.ts'
import { remoteAction, withAccountFlags, type Remote, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim coverage
  proxysim coverage --format markdown >> "$GITHUB_STEP_SUMMARY"
  proxysim coverage --output coverage.xml
  proxysim coverage --min-coverage 80      exits with 3 if coverage is lower`

const formats = { text: undefined, json: '.json', markdown: '.md', junit: '.xml' } as const

interface Flags extends RemoteFlags {
  output?: string[]
  format: keyof typeof formats
  minCoverage?: number
}

export function coverage(command: Command): Command {
  const format = new Option('--format <format>', 'output format').choices(Object.keys(formats))
  return withAccountFlags(command)
    .addOption(format.default('text').conflicts('json'))
    .option('--output <file>', `write a report: ${reportKinds}`, reportParser())
    .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', parsePercent)
    .addHelpText('after', examples)
    .action(remoteAction<Flags>(run))
}

async function run({ account }: Remote, { format, json, output = [], minCoverage }: Flags): Promise<void> {
  const covered = await account.coverage()
  const report = coverageReport(covered)
  const kind = json ? '.json' : formats[format]
  if (kind === undefined) {
    const findings = await account.findings()
    print(text({ ...report, sections: [...report.sections, findingsSection(findings)] }), {
      keepColours: true,
    })
  } else printDocument(renderers[kind](report))
  const shortfall = coverageShortfall(covered, minCoverage)
  if (shortfall !== undefined) {
    printMessage(shortfall)
    process.exitCode = ExitCode.lowCoverage
  }
  await writeReports(output, report)
}
