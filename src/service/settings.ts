import { nextIdAfter } from '../world/numbers.ts'
import { type CountedId, getDescription, type Kind, kinds, getNoun } from './records.ts'
import { type Assumptions, defaultAssumptions } from './values.ts'

/** The fields of an account, besides its records and the engine's fields. */
export interface AccountFields {
  /** USD, exact to the cent. */
  credit: number
  limits: Limits
  assumptions: Assumptions
  /** The next id of each kind. Ids are never reused, not even after a record is deleted. */
  next: NextIds
}

/** The settings of an account in a scenario or patch. */
export interface AccountInput {
  /** USD, at most two decimals. @default 0 */
  credit?: number
  /** @default { updateListInterval: 3600 } */
  limits?: Partial<Limits>
  /** Interpretations of gaps in the documentation. Missing ones have their defaults. */
  assumptions?: Partial<Assumptions>
  /** Lower bounds for the next id of each kind */
  next?: Partial<NextIds>
}

/** The next ids of records that operations create, of faults and of timeline entries. */
export type NextIds = Record<CountedId | 'fault' | 'timeline', number>

/** Whether there is a counter of ids with this name. */
export function isCounted(name: string): name is keyof NextIds {
  return Object.hasOwn(firstIds, name)
}

export const firstIds: NextIds = Object.assign(
  {},
  ...kinds.map((kind) => (getDescription(kind).isCounted ? getDescription(kind).firstIds : {})),
  { fault: 1, timeline: 1 },
)

/**
 * Completes the settings of an account that was saved by an earlier version.
 * @param lastId returns the highest id of a kind of record; 0 if there is none
 */
export function completeSettings(
  { next, assumptions }: Pick<AccountFields, 'next' | 'assumptions'>,
  lastId: (kind: Kind) => number,
): Pick<AccountFields, 'next' | 'assumptions'> {
  const ids: Record<string, number> = { ...firstIds }
  for (const kind of kinds) {
    const first = ids[getNoun(kind)]
    if (first !== undefined) ids[getNoun(kind)] = nextIdAfter(first, lastId(kind))
  }
  return { next: { ...(ids as NextIds), ...next }, assumptions: { ...defaultAssumptions, ...assumptions } }
}

export interface Limits {
  /** Seconds between two IP-list updates of one service (assumption `updateListInterval`) */
  updateListInterval: number
  /** Seconds until a service that was ordered as `Pending` becomes `Active`. @default never */
  activation?: number
  /** Seconds until an invoice that was ordered as unpaid is paid. @default never */
  payment?: number
  /** Whether services are renewed on their due dates. @default false */
  renewal?: boolean
  /** Maximum number of authenticated requests in a window of time. @default unlimited */
  requests?: RequestLimit
}

export interface RequestLimit {
  count: number
  /** Seconds from the first request of a window to its end */
  per: number
  /** Start of the current window (ISO 8601) */
  since?: string
  /** Requests in the current window */
  used?: number
}

/** The transition of a timeline entry, as an alternative to a patch (`transitions.ts`). */
export interface TransitionNames {
  /** Amounts to add to the credit, or to the usage of ppr services */
  add?: Addition
  /** Id of a pending service, which becomes Active */
  activate?: number
  /** Id of an open invoice, which is paid from the credit */
  pay?: number
  /** Id of a service. Its next billing cycle is paid from the credit, or it becomes Suspended */
  renew?: number
}

/** Amounts to add. */
export interface Addition {
  /** USD, may be negative. An entry that would make the credit negative is skipped */
  credit?: number
  /** Usage (requests, or traffic in MB) on the current day; ppr only */
  services?: Readonly<Record<string, { usage: number }>>
}

/** The parts of an account that contain its interpretations of gaps in the documentation. */
export type Interpretations = Pick<AccountFields, 'assumptions' | 'limits'>

/** An account's interpretation of an assumption; undefined if the assumption doesn't exist. */
export function getInterpretation(
  { assumptions, limits }: Interpretations,
  id: string,
): string | number | undefined {
  // The interval can be any number, so it is stored with the limits.
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}
