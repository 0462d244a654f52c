import { InvalidArgumentError } from 'commander'
import type { Readings } from '../scenario/ScenarioDocument.ts'

/** `--assume productSort=desc`; which assumptions and readings there are, the simulator says. */
export function assume(text: string, before: Readings = {}): Readings {
  const [, id, value] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (id === undefined || value === undefined)
    throw new InvalidArgumentError('It is an assumption and a reading, as productSort=desc.')
  return { ...before, [id]: id === 'updateListInterval' && /^\d+$/.test(value) ? Number(value) : value }
}
