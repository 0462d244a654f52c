import type { Assumption, SettlingCall } from '../../contract/Contract.ts'
import type { CallEffect, Need, NoNeed } from './Calibration.ts'
import type { Decision } from './decideAssumptions.ts'

const effectOrder: Record<CallEffect, number> = { 'costs money': 0, 'changes state': 1, reads: 2 }

/** Returns the calls that would settle an assumption, the most decisive one first. */
export function findNeeds({ settle = [] }: Assumption): Need[] {
  return settle
    .toSorted((a, b) => effectOrder[a.effect] - effectOrder[b.effect])
    .map(({ effect, caution, ...one }) => ({
      call: describeCall(one),
      effect,
      ...(caution !== undefined && { caution }),
    }))
}

function describeCall({ call, times }: Pick<SettlingCall, 'call' | 'times'>): string {
  return `${call}${typeof times === 'number' ? `, ${times} times` : ''}`
}

/** Returns the reason why no call settles an assumption: another one, which is settled, hides it (`hiddenBy`). */
export function findHidingAssumption(
  { hiddenBy = {} }: Assumption,
  found: ReadonlyMap<string, Decision>,
): NoNeed | undefined {
  const hiding = Object.entries(hiddenBy)
  return hiding.length > 0 && hiding.every(([id, value]) => found.get(id)?.interpretation === value)
    ? {
        reason: `can't be told apart while ${hiding.map(([id, value]) => `${id} is ${value}`).join(' and ')}`,
      }
    : undefined
}
