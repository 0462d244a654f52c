import type { Fault } from '../world/World.ts'

/** A fault in a few words, for `Sim-Reason` and the journal. */
export function describeFault({ id, phase, respond, drop, times, used }: Fault): string {
  const what = drop
    ? `connection: ${drop}`
    : typeof respond === 'string'
      ? `case ${respond}`
      : respond
        ? `status ${respond.status}`
        : 'a delay'
  const how = phase === 'after' ? ', after the operation was carried out' : ''
  return `forced by fault ${id} (${what}${how}; ${times === undefined ? `struck ${used} times` : `${used} of ${times} times`})`
}
