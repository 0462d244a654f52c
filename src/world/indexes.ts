import { SortedKeys } from './SortedKeys.ts'
import type { Instant } from './time.ts'
import type { Service, TimelineEntry, World } from './World.ts'

/*
 * What is derived from the records of a world, and is a part of the value like them: kept up by `change`, not written out.
 */

/** What makes an index: the keys of a record in it */
export const keysOf = {
  /** `192.0.2.10 5001`: which services an address is bound to */
  bindings: ({ bindedip }: Pick<Service, 'bindedip'>, id: number): string[] =>
    bindedip ? [`${bindedip} ${id}`] : [],
  /** `2026-02-01T00:00:00.000Z 3`: what is due, soonest first; of the same instant, in the order of the ids */
  agenda: ({ at }: Pick<TimelineEntry, 'at'>, id: number): string[] => [
    `${at} ${String(id).padStart(10, '0')}`,
  ],
} as const

/** The services that an address is bound to. */
export function* servicesBoundTo({ bindings }: Pick<World, 'bindings'>, ip: string): Generator<number> {
  for (const key of bindings.startingWith(`${ip} `)) yield idIn(key)
}

/** What is due next. */
export function nextDue({ agenda }: Pick<World, 'agenda'>): { id: number; at: Instant } | undefined {
  const { first } = agenda
  return first === undefined ? undefined : { id: idIn(first), at: Date.parse(first.slice(0, 24)) }
}

function idIn(key: string): number {
  return Number(key.slice(key.indexOf(' ') + 1))
}

/** An index over records. */
export function indexOf<T>(
  records: Iterable<readonly [number, T]>,
  keys: (record: T, id: number) => readonly string[],
): SortedKeys {
  const all: string[] = []
  for (const [id, record] of records) all.push(...keys(record, id))
  return SortedKeys.of(all)
}
