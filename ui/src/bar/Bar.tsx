import { isChanged } from '../lib/assumptions.ts'
import { isExhausted } from '../lib/faults.ts'
import { formatMoney, pluralize } from '../lib/format.ts'
import { getWorstTone } from '../lib/problems.ts'
import { Copy } from '../parts/Copy.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Site } from '../parts/Site.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import { link, pages, type Page } from '../state/route.ts'
import { getAccountName, useApp, getVisibleEntries } from '../state/store.ts'
import { AccountMenu, ChipText, CredentialsMenu } from './AccountMenus.tsx'
import { ClockMenu } from './ClockMenu.tsx'
import { FaultMenu } from './Faults.tsx'
import { ScenarioMenu } from './ScenarioMenu.tsx'

const connections = { connecting: 'connecting', live: 'live', disconnected: 'not connected' }
const tones = { connecting: 'muted', live: 'tone-good', disconnected: 'tone-bad' }

/** The top of every page: links, and one line of facts about the simulator and the account. Narrow pages show them in a sheet. */
export function Bar({ page }: { page: Page }) {
  const connection = useApp((state) => state.connection)
  const isReady = useApp((state) => state.isLoaded && !state.needsToken)
  const isNarrow = useNarrow()
  const facts = (
    <>
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
          <FaultMenu />
          <AssumptionChip />
        </>
      )}
    </>
  )
  return (
    <header class="top">
      <Site current={page} label={(name) => <PageLabel page={name} />} />
      <div class="facts">
        <span class={`connection ${tones[connection]}`} role="status">
          {connections[connection]}
        </span>
        {isNarrow ? (
          <Menu name="facts" title="Account and simulator" width={600} isAlwaysRendered label={<Summary />}>
            {facts}
          </Menu>
        ) : (
          facts
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

/** The facts that a phone shows. */
function Summary() {
  const { account, accounts, world } = useApp()
  const count = world?.faults.filter((fault) => !isExhausted(fault)).length ?? 0
  const parts = [
    account === undefined ? pluralize(accounts.length, 'account') : getAccountName(accounts, account),
    world && `credit ${formatMoney(world.credit)}`,
    count > 0 && pluralize(count, 'fault'),
  ]
  return <span class="chip-value">{parts.filter(Boolean).join(' · ')}</span>
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

/** Shown while any assumption of the account differs from its default. */
function AssumptionChip() {
  const changed = useApp(({ assumptions }) => assumptions.filter(isChanged).length)
  if (changed === 0) return null
  return (
    <a class="chip tone-warn" href={link('problems', 'assumptions')}>
      {pluralize(changed, 'assumption')} changed
    </a>
  )
}
