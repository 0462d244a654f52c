import { requestOfEntry } from '../lib/requestOfEntry.ts'
import { matchPath } from '../lib/shownBy.ts'
import type { CoverageReport, JournalEntry, Patch } from '../lib/types.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { CopyAs } from '../parts/CopyAs.tsx'
import { CopyButton } from '../parts/CopyButton.tsx'
import { readScenario, rewind } from '../state/change.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { canSendAgain, sendAgain } from './sendAgain.ts'

interface Props {
  entry: JournalEntry
  /** The journal does not have it any more, so the simulator knows nothing of it. */
  isGone: boolean
}

/** What one can do with a request: send it, change it, provoke it, go back to before it, take it elsewhere. */
export function EntryActions({ entry, isGone }: Props) {
  const user = useApp(({ account, world }) =>
    account !== undefined && account === entry.account && world ? `${account}:${world.password}` : undefined,
  )
  const operation = useApp(({ coverage }) =>
    coverage?.operations.find((one) => one.operation === entry.operation),
  )
  const values = operation && pathValues(operation, entry)
  return (
    <div class="actions">
      {canSendAgain(entry) && (
        <ActionButton class="small" action={() => sendAgain(entry)}>
          Send again
        </ActionButton>
      )}
      {values && (
        <>
          <a class="button small" href={link('try', operation.operation, { ...values, ...bodyOf(entry) })}>
            Open in Try
          </a>
          <a
            class="button small"
            href={link('control', '', { fault: JSON.stringify(faultOf(entry, values)) })}
          >
            Make a fault of this
          </a>
        </>
      )}
      {entry.version !== null && !isGone && (
        <ActionButton class="small" action={() => rewind(entry)}>
          Go back to before this
        </ActionButton>
      )}
      {!isGone && (
        <CopyButton
          what="the request as a scenario"
          label="Copy as scenario"
          text={() => readScenario(entry)}
        />
      )}
      <CopyAs request={() => requestOfEntry(entry, location.origin, user)} />
    </div>
  )
}

type Operation = CoverageReport['operations'][number]

function pathValues(operation: Operation, { path }: JournalEntry): Record<string, string> | undefined {
  return matchPath(operation.path, path.split('?', 1)[0] as string)
}

function bodyOf({ request: { body } }: JournalEntry): { body?: string } {
  if (body === null) return {}
  return { body: typeof body === 'string' ? body : JSON.stringify(body, null, 2) }
}

/** A fault that makes the same call end as this one did; one that went well fails. */
function faultOf({ operation, status, case: name }: JournalEntry, path: Record<string, string>): Patch {
  return {
    operation,
    ...(Object.keys(path).length > 0 && { match: { path } }),
    ...(status === null ? { drop: 'reset' } : { respond: name ?? { status: status < 400 ? 503 : status } }),
    times: 1,
  }
}
