import { dateTimeOf } from '../../world/time.ts'
import type { JournalRecord } from '../Journal.ts'
import { groups, keyOf, type Evidence, type Rule } from './Evidence.ts'

/** `update_list` again before the time that a 429 named. */
export const throttleIgnored: Rule = (records) =>
  groups(records, ({ account, clues }) =>
    clues.listUpdate === undefined ? undefined : keyOf(account, clues.listUpdate.service),
  ).flatMap(ofService)

function ofService(updates: readonly JournalRecord[]): Evidence[] {
  const shown = new Set<JournalRecord>()
  let told: JournalRecord | undefined
  for (const update of updates) {
    if (told && isTooEarly(update, until(told))) shown.add(told).add(update)
    if (update.clues.listUpdate?.until !== undefined) told = update
  }
  const [first] = shown
  if (!first) return []
  return [
    {
      message: `update_list was sent again for service ${first.clues.listUpdate?.service} before ${dateTimeOf(until(first))}, the time that the 429 named. Read "Next update possible" and wait for it: every attempt before it is refused, and the real service may count it against you.`,
      shown: [...shown],
    },
  ]
}

/** The 429 names whole seconds, rounded up; the throttle itself counts milliseconds. What it let through waited long enough. */
function isTooEarly({ clues: { listUpdate } }: JournalRecord, named: number): boolean {
  if (!listUpdate || listUpdate.now >= named) return false
  return listUpdate.until !== undefined || listUpdate.now <= named - 1000
}

function until({ clues }: JournalRecord): number {
  return clues.listUpdate?.until ?? 0
}
