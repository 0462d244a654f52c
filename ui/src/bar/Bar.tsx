import { isUsedUp } from '../lib/faults.ts'
import { Copy } from '../parts/Copy.tsx'
import { closeMenu, Menu } from '../parts/Menu.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import { link, linkBack, pages, type Page } from '../state/route.ts'
import { entriesOf, useApp, type AppState } from '../state/store.ts'
import { AccountMenu, CredentialsMenu } from './AccountMenus.tsx'
import { ClockMenu } from './ClockMenu.tsx'
import { FaultMenu } from './Faults.tsx'
import { isChanged } from '../quality/Assumptions.tsx'
import { ScenarioMenu } from './ScenarioMenu.tsx'

const connections = { connecting: 'connecting', live: 'live', lost: 'not connected' }

/** What is in force, on every page: where the simulator is, as whom, from which scenario, at what time, with which faults. */
export function Bar({ page }: { page: Page }) {
  const connection = useApp((state) => state.connection)
  const isReady = useApp((state) => state.scenario !== '' && !state.needsToken)
  return (
    <header class="top">
      <nav class="pages" aria-label="Pages">
        {Object.entries(pages).map(([name, title]) => (
          <a key={name} href={linkBack(name as Page)} aria-current={name === page ? 'page' : undefined}>
            {title} <Count page={name as Page} />
          </a>
        ))}
      </nav>
      <div class="facts">
        <span class={`connection ${connection === 'live' ? 'tone-good' : 'tone-bad'}`}>
          <span role="status">{connections[connection]}</span>
        </span>
        <span class="base-url">
          <span>{location.origin}</span>
          <Copy text={location.origin} what="the base URL" />
        </span>
        {isReady && (
          <>
            <AccountMenu />
            <CredentialsMenu />
            <State />
          </>
        )}
      </div>
    </header>
  )
}

/** Scenario, clock, faults and assumptions; on a narrow page behind one button. */
function State() {
  const changes = useApp(changesOf)
  const chips = (
    <>
      <ScenarioMenu />
      <ClockMenu />
      <FaultMenu />
      <AssumptionChip />
    </>
  )
  if (!useNarrow()) return chips
  return (
    <Menu
      name="state"
      title="State"
      class={changes > 0 ? 'chip tone-warn' : 'chip'}
      label={`state${changes > 0 ? ` (${changes})` : ''}`}
      isKept
    >
      {chips}
    </Menu>
  )
}

/** How many of them are not as usual. */
function changesOf({ world, accounts, assumptions }: AppState): number {
  const hasFault = world ? !world.faults.every(isUsedUp) : accounts.some(({ faults }) => faults > 0)
  const { frozen = false, rate = 1 } = world?.clock ?? {}
  return [hasFault, frozen || rate !== 1, assumptions.some(isChanged)].filter(Boolean).length
}

/** Shown while an account does not follow the defaults. */
function AssumptionChip() {
  const changed = useApp(({ assumptions }) => assumptions.filter(isChanged).length)
  if (changed === 0) return null
  return (
    <a class="chip tone-warn" href={link('quality', 'assumptions')} onClick={closeMenu}>
      {changed} {changed === 1 ? 'assumption' : 'assumptions'}
      <span class="unseen">changed</span>
    </a>
  )
}

function Count({ page }: { page: Page }) {
  const count = useApp((state) =>
    page === 'requests' ? entriesOf(state).length : page === 'quality' ? state.findings.length : 0,
  )
  return count === 0 ? null : <span class="count">{count.toLocaleString('en')}</span>
}
