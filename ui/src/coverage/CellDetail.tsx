import { plural } from '../lib/format.ts'
import { showingOf, type Showing } from '../lib/shownBy.ts'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { replaceState } from '../state/change.ts'
import { link } from '../state/route.ts'
import type { Cell } from './Cell.ts'

/** One answer of the contract: how often it was met, and how to meet it. */
export function CellDetail({ operation, outcome, showings }: Cell & { showings: readonly Showing[] }) {
  const shown = showingOf(operation, outcome.case, showings)
  return (
    <div class="callout" role="status">
      <p>
        <StatusBadge status={outcome.status} /> <b>{operation.operation}</b> {outcome.case ?? 'success'} ·{' '}
        {outcome.hits ? plural(outcome.hits, 'time') : 'not yet exercised'}
      </p>
      {shown?.isExact && <Shown {...shown.showing} />}
      {!shown?.isExact && (
        <p class="actions">
          <span>{howTo(outcome.case, shown?.showing)}</span>
          {operation.path !== '' && <a href={link('try', operation.operation)}>Try {operation.operation}</a>}
        </p>
      )}
    </div>
  )
}

function Shown({ scenario, method, path, body }: Showing) {
  return (
    <p class="actions">
      <span>
        The scenario <b>{scenario}</b> shows it:{' '}
        <code>
          {method} {path} {body}
        </code>
      </span>
      <button
        type="button"
        class="small"
        onClick={() => void replaceState(`/scenarios/${scenario}/load`, `${scenario} is loaded.`)}
      >
        Load {scenario}
      </button>
    </p>
  )
}

function howTo(caseName: string | null, elsewhere: Showing | undefined): string {
  if (caseName === null) return 'Any scenario shows it.'
  if (elsewhere) return `The scenario ${elsewhere.scenario} shows this case; or arm a fault with it.`
  return 'Arm a fault with this case under Control.'
}
