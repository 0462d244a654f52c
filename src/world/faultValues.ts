/** Whether a fault strikes before the operation, which then does not happen, or after it. */
export const faultPhases = ['before', 'after'] as const

export type FaultPhase = (typeof faultPhases)[number]

/** How a fault ends a connection; `src/faults/effects/drop.ts` says what each does. */
export const drops = ['reset', 'empty', 'truncate'] as const

export type Drop = (typeof drops)[number]
