/** Whether a fault strikes before the operation is carried out, or after. */
export const faultPhases = ['before', 'after'] as const

export type FaultPhase = (typeof faultPhases)[number]

/** How a fault ends a connection; `src/faults/effects/drop.ts` implements each. */
export const drops = ['reset', 'empty', 'truncate'] as const

export type Drop = (typeof drops)[number]
