import { InvalidArgumentError } from 'commander'
import type { Readings } from '../scenario/ScenarioDocument.ts'

/** Parses `--assume productSort=desc,geo=object`. The simulator checks the names. */
export function assume(text: string, before: Readings = {}): Readings {
  const pairs = text.split(',').map((pair) => {
    const [, id, value] = /^(\w+)=(.+)$/.exec(pair.trim()) ?? []
    if (id === undefined || value === undefined)
      throw new InvalidArgumentError('Give an assumption and its reading, such as productSort=desc.')
    return [id, id === 'updateListInterval' && /^\d+$/.test(value) ? Number(value) : value] as const
  })
  return { ...before, ...Object.fromEntries(pairs) }
}
