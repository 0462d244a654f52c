import { readFileSync } from 'node:fs'

/** Linux counts in this unit on every machine that runs Node. */
const ticksPerSecond = 100

/** Seconds of processor time that a process has used, all its threads together. */
export function processTime(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) as string).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
