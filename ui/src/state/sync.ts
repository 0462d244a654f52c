import { accountPath, admin, forAccount } from '../lib/admin.ts'
import type {
  AccountSummary,
  Assumption,
  ClockReading,
  CoverageReport,
  Finding,
  Health,
  JournalPage,
  ScenarioInfo,
  Snapshot,
  WorldView,
} from '../lib/types.ts'
import { getState, setState } from './store.ts'

/** Entries that the page keeps: as many as the simulator does by default. */
export const journalLimit = 1000

/** Reads everything anew. @throws SimulatorError */
export async function sync(): Promise<void> {
  const [health, scenarios, accounts, journal, snapshots] = await Promise.all([
    admin<Health>('GET', '/health'),
    admin<ScenarioInfo[]>('GET', '/scenarios'),
    admin<AccountSummary[]>('GET', '/accounts'),
    admin<JournalPage>('GET', `/requests?limit=${journalLimit}`),
    admin<Snapshot[]>('GET', '/snapshots'),
  ])
  setState({
    needsToken: false,
    version: health.version,
    scenario: health.scenario,
    scenarios,
    accounts,
    snapshots,
    entries: journal.requests,
    dropped: journal.dropped,
    lines: new Map(),
  })
  await chooseAccount(present(accounts))
  await Promise.all([syncCoverage(), syncFindings()])
}

const accountKey = 'proxysim-account'

function present(accounts: readonly AccountSummary[]): string | undefined {
  const wanted = getState().account ?? sessionStorage.getItem(accountKey)
  return accounts.find(({ login }) => login === wanted)?.login ?? accounts[0]?.login
}

/** Looks at another account. @throws SimulatorError */
export async function chooseAccount(login: string | undefined): Promise<void> {
  if (login !== undefined) sessionStorage.setItem(accountKey, login)
  setState(login === getState().account ? {} : { account: login, world: undefined })
  await syncWorld()
}

/** Reads the chosen account's world. @throws SimulatorError */
export async function syncWorld(): Promise<void> {
  const { account, changes } = getState()
  if (account === undefined) {
    setState({ world: undefined })
    return
  }
  const [world, assumptions] = await Promise.all([
    admin<WorldView>('GET', accountPath(account)),
    admin<Assumption[]>('GET', `/assumptions${forAccount(account)}`),
  ])
  const now = getState()
  if (now.account !== account) return
  // What changed while it was on its way may or may not be in it.
  if (now.changes !== changes) await syncWorld()
  else setState({ world, assumptions, clockAhead: ahead(world.clock) })
}

/** Reads the chosen account's clock. @throws SimulatorError */
export async function syncClock(): Promise<void> {
  const { account } = getState()
  if (account === undefined) return
  const clock = await admin<ClockReading>('GET', `/clock${forAccount(account)}`)
  const { world } = getState()
  if (world && getState().account === account)
    setState({ world: { ...world, clock }, clockAhead: ahead(clock) })
}

function ahead({ now }: ClockReading): number {
  return Date.parse(now) - Date.now()
}

export async function syncAccounts(): Promise<void> {
  setState({ accounts: await admin<AccountSummary[]>('GET', '/accounts') })
}

export async function syncCoverage(): Promise<void> {
  setState({ coverage: await admin<CoverageReport>('GET', '/coverage') })
}

export async function syncFindings(): Promise<void> {
  setState({ findings: await admin<Finding[]>('GET', '/findings') })
}
