import { nextIdAfter } from '../world/numbers.ts'
import { type CountedId, descriptions, type Kind, kinds, nounOf } from './records.ts'
import { type Assumptions, defaultAssumptions } from './values.ts'

/** An account's own fields, besides its records and those that the engine keeps. */
export interface AccountFields {
  /** USD, exact to the cent. */
  credit: number
  limits: Limits
  assumptions: Assumptions
  /** The next id of each kind. Ids are never reused, not even after a record is deleted. */
  next: NextIds
}

/** The same as somebody describes them. */
export interface AccountInput {
  /** USD, at most two decimals. @default 0 */
  credit?: number
  /** @default { updateListInterval: 3600 } */
  limits?: Partial<Limits>
  /** Interpretations of what the documentation leaves open; anything not listed has its default. */
  assumptions?: Partial<Assumptions>
  /** Lower bounds for the next id of each kind */
  next?: Partial<NextIds>
}

/** The next id of the records that operations make, of faults and of entries of the timeline. */
export type NextIds = Record<CountedId | 'fault' | 'timeline', number>

export const firstIds: NextIds = Object.assign(
  {},
  ...kinds.map((kind) => ('isCounted' in descriptions[kind] ? descriptions[kind].firstIds : {})),
  { fault: 1, timeline: 1 },
)

/**
 * What the settings of an account that an earlier version kept may lack, filled in.
 * @param lastId the highest id of a kind of record in it; 0 if there is none
 */
export function completed(
  { next, assumptions }: Pick<AccountFields, 'next' | 'assumptions'>,
  lastId: (kind: Kind) => number,
): Pick<AccountFields, 'next' | 'assumptions'> {
  const free: Record<string, number> = { ...firstIds }
  for (const kind of kinds) {
    const first = free[nounOf(kind)]
    if (first !== undefined) free[nounOf(kind)] = nextIdAfter(first, lastId(kind))
  }
  return { next: { ...(free as NextIds), ...next }, assumptions: { ...defaultAssumptions, ...assumptions } }
}

export interface Limits {
  /** Seconds between two IP-list updates of one service (assumption `updateListInterval`) */
  updateListInterval: number
  /** Seconds until a service that was ordered as `Pending` is `Active`. @default never */
  activation?: number
  /** Seconds until an invoice that was ordered as not paid is paid. @default never */
  payment?: number
  /** Whether services are renewed on their due dates. @default false */
  renewal?: boolean
  /** The most authenticated requests in a window of time. @default unlimited */
  requests?: RequestLimit
}

export interface RequestLimit {
  count: number
  /** Seconds from the first request of a window to its end */
  per: number
  /** When the present window began (ISO 8601) */
  since?: string
  /** Requests in it so far */
  used?: number
}

/** Of an entry of the timeline: it can name a transition in place of a patch (`transitions.ts`). */
export interface TransitionNames {
  add?: Addition
  /** A service: Pending, it becomes Active */
  activate?: number
  /** An invoice: open, it is paid from the credit */
  pay?: number
  /** A service: its next billing cycle is paid from the credit, or it is Suspended */
  renew?: number
}

/** What is added. */
export interface Addition {
  /** USD, may be negative; what would leave less than nothing is skipped */
  credit?: number
  /** Usage (requests, or traffic in MB) on the day that it is then; ppr only */
  services?: Readonly<Record<string, { usage: number }>>
}

/** The parts of an account that say how it reads the gaps in the documentation. */
export type Interpretations = Pick<AccountFields, 'assumptions' | 'limits'>

/** An account's interpretation of an assumption; undefined if there is no such assumption. */
export function interpretationOf(
  { assumptions, limits }: Interpretations,
  id: string,
): string | number | undefined {
  // The interval can be any number, so it is kept with the limits.
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}
