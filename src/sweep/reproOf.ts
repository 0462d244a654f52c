import type { JournalEntry } from '../journal/JournalEntry.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { Strike } from './FirstCallFault.ts'
import type { Cell } from './plan.ts'

/** The scenario in which the call that was struck can be made again: its account as it was just before, the fault armed. */
export function reproOf(
  { account, before }: Strike,
  { operation, fault }: Cell,
  entry: Pick<JournalEntry, 'method' | 'path' | 'request'> | undefined,
): ScenarioDocument {
  const { method, path, request } = entry ?? {}
  const body = request?.body === null || request === undefined ? '' : ` ${JSON.stringify(request.body)}`
  return {
    description:
      `Just before ${operation} met ${fault.name}, which is armed: ${method ?? ''} ${path ?? ''}${body}`.trim(),
    accounts: { [account]: before },
  }
}
