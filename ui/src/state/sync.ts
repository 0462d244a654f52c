import { accountPath, admin, forAccount, Refusal } from '../lib/admin.ts'
import type {
  AccountSummary,
  Assumption,
  Clock,
  CoverageReport,
  Finding,
  Health,
  JournalEntry,
  ScenarioInfo,
  Snapshot,
  Timeline,
  World,
} from '../lib/types.ts'
import { getState, setState } from './store.ts'

/** Entries that the page keeps: as many as the simulator does by default. */
export const journalLimit = 1000

/** Reads everything anew. @throws Refusal */
export async function sync(): Promise<void> {
  const [health, scenarios, accounts, journal] = await Promise.all([
    admin<Health>('GET', '/health'),
    admin<ScenarioInfo[]>('GET', '/scenarios'),
    admin<AccountSummary[]>('GET', '/accounts'),
    admin<{ requests: JournalEntry[] }>('GET', `/requests?limit=${journalLimit}`),
  ])
  setState({
    needsToken: false,
    version: health.version,
    scenario: health.scenario,
    scenarios,
    accounts,
    entries: journal.requests,
  })
  await Promise.all([chooseAccount(present(accounts)), syncSnapshots()])
}

const accountKey = 'proxysim-account'
/** What is kept for all accounts; no login has a slash. */
const all = '/'

/** What was chosen before, if it is still there; else the only account, or all of them. */
function present(accounts: readonly AccountSummary[]): string | undefined {
  const wanted = sessionStorage.getItem(accountKey)
  if (wanted === all) return undefined
  const found = accounts.find(({ login }) => login === wanted)
  return (found ?? (accounts.length === 1 ? accounts[0] : undefined))?.login
}

/** Looks at another account, or at all of them. @throws Refusal */
export async function chooseAccount(login: string | undefined, isAsked = false): Promise<void> {
  if (isAsked) sessionStorage.setItem(accountKey, login ?? all)
  if (login !== getState().account)
    setState({ account: login, world: undefined, timeline: undefined, assumptions: [] })
  await Promise.all([syncWorld(), syncAssumptions(), syncTimeline(), syncCoverage(), syncFindings()])
}

/** Reads the chosen account's world. @throws Refusal */
export async function syncWorld(): Promise<void> {
  const { account, changes } = getState()
  if (account === undefined) return
  const world = await admin<World>('GET', accountPath(account))
  const now = getState()
  if (now.account !== account) return
  // What changed while it was on its way may or may not be in it.
  if (now.changes !== changes) await syncWorld()
  else setState({ world, clockReadAt: Date.now() })
}

/**
 * Reads something of the chosen account; what comes when another one is chosen is dropped.
 * @param isOfAll leaves the account out
 */
async function readFor<T>(path: string, set: (value: T) => void, isOfAll = false): Promise<void> {
  const { account } = getState()
  const value = await admin<T>('GET', path + forAccount(isOfAll ? undefined : account))
  if (getState().account === account) set(value)
}

export async function syncClock(): Promise<void> {
  if (getState().account === undefined) return
  await readFor<Clock>('/clock', (clock) => {
    const { world } = getState()
    if (world) setState({ world: { ...world, clock }, clockReadAt: Date.now() })
  })
}

export async function syncTimeline(): Promise<void> {
  if (getState().account === undefined) return
  try {
    await readFor<Timeline>('/timeline', (timeline) => setState({ timeline }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error // an older simulator has none
  }
}

export async function syncAssumptions(): Promise<void> {
  if (getState().account === undefined) return
  await readFor<Assumption[]>('/assumptions', (assumptions) => setState({ assumptions }))
}

/** Requests without an account, such as those with a wrong login, count if there is only one that they can mean. */
function hasOne(): boolean {
  return getState().accounts.length < 2
}

export function syncCoverage(): Promise<void> {
  return readFor<CoverageReport>('/coverage', (coverage) => setState({ coverage }), hasOne())
}

export function syncFindings(): Promise<void> {
  return readFor<Finding[]>('/findings', (findings) => setState({ findings }), hasOne())
}

export async function syncAccounts(): Promise<void> {
  setState({ accounts: await admin<AccountSummary[]>('GET', '/accounts') })
}

export async function syncSnapshots(): Promise<void> {
  setState({ snapshots: await admin<Snapshot[]>('GET', '/snapshots') })
}
