import { useLayoutEffect, useRef } from 'preact/hooks'
import { admin, forAccount } from '../lib/admin.ts'
import { plural } from '../lib/format.ts'
import { requestOf, showingOf, type Showing } from '../lib/shownBy.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { loadScenario } from '../state/change.ts'
import { attempt } from '../state/notices.ts'
import { link } from '../state/route.ts'
import { getState } from '../state/store.ts'
import { syncWorld } from '../state/sync.ts'
import type { Cell } from './Cell.ts'

interface Props extends Cell {
  id: string
  showings: readonly Showing[]
  onClose: () => void
}

/** One answer of the contract: how often it was met, and how to meet it. It lies over the page and moves nothing. */
export function CellDetail({ id, operation, outcome, showings, onClose }: Props) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    element.showPopover()
    place(element)
    const toggled = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') onClose()
    }
    element.addEventListener('toggle', toggled)
    const follow = () => place(element)
    addEventListener('scroll', follow, true)
    addEventListener('resize', follow)
    return () => {
      element.removeEventListener('toggle', toggled)
      removeEventListener('scroll', follow, true)
      removeEventListener('resize', follow)
    }
  }, [])
  const shown = showingOf(operation, outcome.case, showings)
  const isOfAll = operation.path === ''
  return (
    <div
      class="cell-detail"
      id={id}
      popover="auto"
      ref={box}
      role="group"
      aria-label={`${operation.operation} ${outcome.case ?? 'success'}`}
    >
      <p>
        <StatusBadge status={outcome.status} /> <b>{operation.operation}</b> {outcome.case ?? 'success'}
      </p>
      <p class="muted">{outcome.hits ? plural(outcome.hits, 'time') : 'not yet exercised'}</p>
      {shown?.isExact && (
        <p>
          Scenario <b>{shown.showing.scenario}</b>, then{' '}
          <code>
            {shown.showing.method} {shown.showing.path} {shown.showing.body}
          </code>
        </p>
      )}
      <div class="actions">
        {shown?.isExact && (
          <ActionButton class="small" action={() => loadScenario(shown.showing.scenario)}>
            Load {shown.showing.scenario}
          </ActionButton>
        )}
        {outcome.case !== null && (
          <ActionButton
            class="small"
            action={() => arm(isOfAll ? '*' : operation.operation, outcome.case ?? '')}
          >
            Arm the fault
          </ActionButton>
        )}
        {!isOfAll && (
          <a
            class="button small"
            href={link('try', operation.operation, shown?.isExact ? requestOf(operation, shown.showing) : {})}
          >
            Try it
          </a>
        )}
      </div>
    </div>
  )
}

/** The next such request gets this answer. */
function arm(operation: string, name: string): Promise<boolean> {
  return attempt(
    async () => {
      const { account = '' } = getState()
      await admin('POST', `/faults${forAccount(account)}`, { operation, respond: name, times: 1 })
      await syncWorld()
    },
    `The next ${operation === '*' ? 'request' : operation} answers ${name}.`,
  )
}

const gap = 4

/** Under its cell, or above where there is no room; it follows the cell when the page is scrolled. */
function place(box: HTMLElement): void {
  const cell = box.parentElement?.getBoundingClientRect()
  if (!cell) return
  const { width, height } = box.getBoundingClientRect()
  const left = Math.max(gap, Math.min(cell.left, innerWidth - width - gap))
  const below = cell.bottom + gap
  const top = below + height > innerHeight ? cell.top - height - gap : below
  box.style.left = `${left}px`
  box.style.top = `${top}px`
}
