import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { AcceptedCells } from '../runs/accepted.ts'
import type { Verdict } from '../runs/verdict.ts'
import { writeSideFile } from '../../cli/files.ts'
import { parseList, parseYamlFile } from '../../cli/flags.ts'
import { printMessage } from '../../cli/output.ts'

/** Flags about verdicts and files that don't count. */
export interface AcceptedFlags {
  /** Patterns of files that aren't compared */
  ignore?: string[]
  /** The file to read */
  accept?: string
  /** The file to write */
  writeAccepted?: string
}

/** Adds the flags about accepted verdicts. */
export function withAcceptedFlags(command: Command): Command {
  return command
    .option('--accept <file>', 'verdicts that do not fail the run, each with its reason (YAML)')
    .option(
      '--write-accepted <file>',
      "write this run's red verdicts to a file for --accept, keeping the reasons in it",
      parseYamlFile,
    )
}

export const ignoreFlag = [
  '--ignore <pattern...>',
  'files not to compare, such as attempts.jsonl: journals of attempts, which grow with each run',
  parseList,
] as const

interface AcceptedRun {
  cells: AcceptedCells | undefined
  /** All patterns of files that aren't compared */
  ignore: readonly string[]
  /** Adds the red cells of a complete run, for the file to write. */
  add: (cells: readonly { cell: string; verdict: Verdict }[]) => void
}

/**
 * Reads the accepted cells before a run, and writes those of the run after its result was printed.
 * @param isTried whether a key is about a selected cell; other keys stay in the file
 * @throws ScenarioError if a file is wrong; nothing runs then
 */
export async function withAcceptedCells(
  { ignore = [], accept, writeAccepted }: AcceptedFlags,
  isTried: (key: string) => boolean,
  work: (run: AcceptedRun) => Promise<void>,
): Promise<void> {
  // The file to write may not exist yet, even if it is also the one to read.
  const isNew = writeAccepted !== undefined && !existsSync(writeAccepted)
  const existing = writeAccepted === undefined || isNew ? undefined : await AcceptedCells.read(writeAccepted)
  const cells =
    accept === undefined || (isNew && accept === writeAccepted) ? undefined : await AcceptedCells.read(accept)
  let found: Parameters<AcceptedRun['add']>[0] | undefined
  const add: AcceptedRun['add'] = (red) => {
    found = red
  }
  await work({ cells, ignore: [...new Set([...ignore, ...(cells?.ignore ?? [])])], add })
  if (writeAccepted === undefined) return
  const red = found
  if (!red)
    printMessage(
      `${writeAccepted} was not written, because cells that were not tried would be missing from it.`,
    )
  else await writeSideFile(writeAccepted, () => AcceptedCells.merge(cells, existing).render(red, isTried))
}
