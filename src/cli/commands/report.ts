import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Command } from 'commander'
import { UserError } from '../../UserError.ts'
import { jsonOf } from '../../jsonOf.ts'
import { readText } from '../../readText.ts'
import { cardHtml, cardMarkdown } from '../cardText.ts'
import { print } from '../print.ts'
import { readReport, reportCard, type CardSource } from '../reportCard.ts'
import { checkReports } from '../reports.ts'
import { writing } from '../writing.ts'

const help = `
Reads the JSON reports of exec, matrix, sweep and calibrate in a folder, and combines them into one page: coverage,
readings and faults survived, fidelity, findings.

Examples:
  proxysim exec --report reports/exec.json -- npm test
  proxysim sweep --report reports/sweep.json -- npm test
  proxysim report reports
  proxysim report reports --output report.html`

interface Flags {
  output?: string
}

export function report(command: Command): Command {
  return command
    .argument('<dir>', 'the folder with the reports')
    .option('--output <file>', 'write the page to a file: .md or .html')
    .addHelpText('after', help)
    .action(run)
}

async function run(folder: string, { output }: Flags): Promise<void> {
  if (output !== undefined) checkReports([output], ['.md', '.html'])
  const sources = await readReports(folder)
  const card = reportCard(sources)
  if (output === undefined) return print({}, undefined, cardMarkdown(card))
  await writing(output, extname(output) === '.html' ? cardHtml(card) : cardMarkdown(card))
  print({}, undefined, `Wrote ${output}`)
}

const order = ['exec', 'matrix', 'sweep', 'calibrate']

/** @throws UserError if there is none */
async function readReports(folder: string): Promise<CardSource[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`The folder ${folder} can't be read (${error.code}).`)
  })
  const sources: CardSource[] = []
  for (const name of names.filter((one) => extname(one) === '.json').toSorted()) {
    const file = join(folder, name)
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile()
    const source = isFile ? readReport(name, jsonOf(await readText(file))) : undefined
    if (source) sources.push(source)
    else process.stderr.write(`proxysim: ${file} is skipped: it is not a proxysim report\n`)
  }
  if (sources.length === 0)
    throw new UserError(
      `There is no report in ${JSON.stringify(folder)}. exec, matrix, sweep and calibrate write them with --report FILE.json.`,
    )
  return sources.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
}
