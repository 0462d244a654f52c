import { Copy } from '../parts/Copy.tsx'
import { Site } from '../parts/Site.tsx'
import { isChanged } from '../quality/Assumptions.tsx'
import { link, type Page } from '../state/route.ts'
import { useApp, getVisibleEntries } from '../state/store.ts'
import { AccountMenu, CredentialsMenu } from './AccountMenus.tsx'
import { ClockMenu } from './ClockMenu.tsx'
import { FaultMenu } from './Faults.tsx'
import { ScenarioMenu } from './ScenarioMenu.tsx'

const connections = { connecting: 'connecting', live: 'live', disconnected: 'not connected' }
const tones = { connecting: 'muted', live: 'tone-good', disconnected: 'tone-bad' }

/** The top of every page: links, connection, base URL, account, credentials, scenario, clock and faults. */
export function Bar({ page }: { page: Page }) {
  const connection = useApp((state) => state.connection)
  const isReady = useApp((state) => state.isLoaded && !state.needsToken)
  return (
    <header class="top">
      <Site current={page} count={(counted) => <Count page={counted} />} />
      <div class="facts">
        <span class={`connection ${tones[connection]}`}>
          <span role="status">{connections[connection]}</span>
        </span>
        <span class="base-url">
          <span>{location.origin}</span>
          <Copy text={location.origin} name="the base URL" />
        </span>
        {isReady && (
          <>
            <AccountMenu />
            <CredentialsMenu />
            <ScenarioMenu />
            <ClockMenu />
            <FaultMenu />
            <AssumptionChip />
          </>
        )}
      </div>
    </header>
  )
}

/** Shown while any assumption of the account differs from its default. */
function AssumptionChip() {
  const changed = useApp(({ assumptions }) => assumptions.filter(isChanged).length)
  if (changed === 0) return null
  return (
    <a class="chip tone-warn" href={link('quality', 'assumptions')}>
      {changed} {changed === 1 ? 'assumption' : 'assumptions'}
      <span class="unseen">changed</span>
    </a>
  )
}

function Count({ page }: { page: Page }) {
  const count = useApp((state) =>
    page === 'requests' ? getVisibleEntries(state).length : page === 'quality' ? state.findings.length : 0,
  )
  return count === 0 ? null : <span class="count">{count.toLocaleString('en')}</span>
}
