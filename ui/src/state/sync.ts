import { accountPath, admin, forAccount } from '../lib/admin.ts'
import type {
  AccountSummary,
  Assumption,
  CoverageReport,
  Finding,
  Health,
  JournalEntry,
  ScenarioInfo,
  Snapshot,
  Timeline,
  World,
} from '../lib/types.ts'
import { clearedBefore, getState, setState } from './store.ts'

/** The page holds as many entries as the simulator does by default. */
export const journalLimit = 1000

/** Reloads everything. @throws Refusal */
export async function sync(): Promise<void> {
  const [{ version, scenario }, scenarios, accounts, journal] = await Promise.all([
    admin<Health>('GET', '/health'),
    admin<ScenarioInfo[]>('GET', '/scenarios'),
    admin<AccountSummary[]>('GET', '/accounts'),
    admin<{ requests: JournalEntry[] }>('GET', `/requests?limit=${journalLimit}`),
  ])
  const entries = journal.requests
  const clearedUpTo = clearedBefore(entries)
  setState({ needsToken: false, version, scenario, scenarios, accounts, entries, clearedUpTo })
  await Promise.all([chooseAccount(present(accounts)), syncSnapshots()])
}

const accountKey = 'proxysim-account'
/** The key for data of all accounts; no login contains a slash. */
const all = '/'

/** The previous choice if it still exists; else the only account, or all of them. */
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
  await Promise.all([syncAccount(), syncVerdicts()])
}

/** Reads the chosen account's world, what is due in it and how it reads the document. @throws Refusal */
export async function syncAccount(): Promise<void> {
  const { account } = getState()
  if (account === undefined) return
  const [world, timeline, assumptions] = await Promise.all([
    admin<World>('GET', accountPath(account)),
    admin<Timeline>('GET', `/timeline${forAccount(account)}`),
    admin<Assumption[]>('GET', `/assumptions${forAccount(account)}`),
  ])
  if (getState().account === account) setState({ world, timeline, assumptions, clockReadAt: Date.now() })
}

/** Reads coverage and findings. Requests with a wrong login count if there is only one account that they can mean. */
export async function syncVerdicts(): Promise<void> {
  const { account, accounts } = getState()
  const query = forAccount(accounts.length > 1 ? account : undefined)
  const [coverage, findings] = await Promise.all([
    admin<CoverageReport>('GET', `/coverage${query}`),
    admin<Finding[]>('GET', `/findings${query}`),
  ])
  if (getState().account === account) setState({ coverage, findings })
}

export async function syncAccounts(): Promise<void> {
  setState({ accounts: await admin<AccountSummary[]>('GET', '/accounts') })
}

export async function syncSnapshots(): Promise<void> {
  setState({ snapshots: await admin<Snapshot[]>('GET', '/snapshots') })
}
