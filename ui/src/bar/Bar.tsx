import { listDue } from '../lib/due.ts'
import { formatMoney, formatTimeUntil, pluralize } from '../lib/format.ts'
import { getWorstTone } from '../lib/problems.ts'
import { Copy } from '../parts/Copy.tsx'
import { openMenu } from '../parts/Menu.tsx'
import { Site } from '../parts/Site.tsx'
import { isChanged } from '../lib/assumptions.ts'
import { link, pages, type Page } from '../state/route.ts'
import { useApp, getVisibleEntries } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'
import { AccountMenu, ChipText, CredentialsMenu } from './AccountMenus.tsx'
import { ClockMenu } from './ClockMenu.tsx'
import { FaultMenu } from './Faults.tsx'
import { ScenarioMenu } from './ScenarioMenu.tsx'

const connections = { connecting: 'connecting', live: 'live', disconnected: 'not connected' }
const tones = { connecting: 'muted', live: 'tone-good', disconnected: 'tone-bad' }

/** The top of every page: links, and one line of facts about the simulator and the account. */
export function Bar({ page }: { page: Page | undefined }) {
  const connection = useApp((state) => state.connection)
  const isReady = useApp((state) => state.isLoaded && !state.needsToken)
  return (
    <header class="top">
      <Site current={page} label={(name) => <PageLabel page={name} />} />
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
            <Credit />
            <ScenarioMenu />
            <ClockMenu />
            <NextChange />
            <FaultMenu />
            <AssumptionChip />
          </>
        )}
      </div>
      {connection === 'disconnected' && (
        <p class="why tone-bad" role="alert">
          The simulator at {location.host} doesn’t answer. What you see may be outdated. Start it again: the
          page reconnects.
        </p>
      )}
    </header>
  )
}

/** A page's title with its count. Problems are announced loudly. */
function PageLabel({ page }: { page: Page }) {
  const requests = useApp((state) => getVisibleEntries(state).length)
  const findings = useApp((state) => state.findings)
  if (page === 'problems' && findings.length > 0)
    return (
      <>
        <span class="unseen">{pages[page]}: </span>
        <span class={`alarm ${getWorstTone(findings)}`}>{pluralize(findings.length, 'problem')}</span>
      </>
    )
  if (page !== 'requests' || requests === 0) return <>{pages[page]}</>
  return (
    <>
      {pages[page]} <span class="count">{requests.toLocaleString('en')}</span>
    </>
  )
}

function Credit() {
  const credit = useApp((state) => state.world?.credit)
  if (credit === undefined) return null
  return (
    <a class="chip" href={link('data')}>
      <ChipText name="credit" value={<span class="figures">{formatMoney(credit)}</span>} />
    </a>
  )
}

/** The next change that time will make. A click opens the clock with all of them. */
function NextChange() {
  const { world, timeline } = useApp()
  const now = useNow()
  const [next] = world ? listDue(world, timeline, now) : []
  if (!next) return null
  return (
    <button type="button" class="next-change quiet" title="Open the clock" onClick={() => openMenu('clock')}>
      <span>
        <b>{formatTimeUntil(next.at - now)}</b> {next.text}
      </span>
    </button>
  )
}

/** Shown while any assumption of the account differs from its default. */
function AssumptionChip() {
  const changed = useApp(({ assumptions }) => assumptions.filter(isChanged).length)
  if (changed === 0) return null
  return (
    <a class="chip tone-warn" href={link('problems', 'assumptions')}>
      {changed} {changed === 1 ? 'assumption' : 'assumptions'}
      <span class="unseen">changed</span>
    </a>
  )
}
