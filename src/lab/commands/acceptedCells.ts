import { existsSync } from 'node:fs'
import { AcceptedCells } from '../runs/accepted.ts'
import { writeSideFile } from '../../cli/files.ts'
import { printMessage } from '../../cli/output.ts'

/** The files of accepted cells of `sweep` and `matrix`. */
export interface AcceptedFlags {
  /** The file to read */
  accept?: string | undefined
  /** The file to write */
  writeAccepted?: string | undefined
}

interface AcceptedRun {
  cells: AcceptedCells | undefined
  /** Adds the bad cells of a complete run, for the file to write. */
  add: (cells: readonly { cell: string; verdict: string }[]) => void
}

/**
 * Reads the accepted cells before a run, and writes those of the run after its result was printed.
 * @param verdicts those that can be accepted
 * @throws ScenarioError if a file is wrong; nothing runs then
 */
export async function withAcceptedCells(
  { accept, writeAccepted }: AcceptedFlags,
  verdicts: readonly string[],
  work: (run: AcceptedRun) => Promise<void>,
): Promise<void> {
  const read = (file: string) => AcceptedCells.read(file, verdicts)
  // The file to write may not exist yet, even if it is also the one to read.
  const isNew = writeAccepted !== undefined && !existsSync(writeAccepted)
  const existing = writeAccepted === undefined || isNew ? undefined : await read(writeAccepted)
  const cells = accept === undefined || (isNew && accept === writeAccepted) ? undefined : await read(accept)
  let bad: readonly { cell: string; verdict: string }[] | undefined
  await work({
    cells,
    add: (found) => {
      bad = found
    },
  })
  const found = bad
  if (writeAccepted !== undefined && !found)
    printMessage(
      `${writeAccepted} was not written, because cells that were not tried would be missing from it.`,
    )
  if (writeAccepted !== undefined && found)
    await writeSideFile(writeAccepted, () => AcceptedCells.merge(cells, existing).render(found))
}
