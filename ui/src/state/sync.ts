import { accountPath, admin, accountQuery } from '../lib/admin.ts'
import { tabStorage } from '../lib/storage.ts'
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
import { findClearedId, getState, setState } from './store.ts'

/** Maximum number of entries on the page, equal to the simulator's default. */
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
  const clearedUpTo = findClearedId(entries)
  setState({ needsToken: false, version, scenario, scenarios, accounts, entries, clearedUpTo })
  await Promise.all([chooseAccount(findStoredAccount(accounts)), syncSnapshots()])
}

const accountKey = 'proxysim-account'
/** The stored choice of all accounts. No login contains a slash. */
const allAccounts = '/'

/** Returns the stored choice if that account still exists; otherwise the only account, or undefined for all. */
function findStoredAccount(accounts: readonly AccountSummary[]): string | undefined {
  const stored = tabStorage.get(accountKey)
  if (stored === allAccounts) return undefined
  const found = accounts.find(({ login }) => login === stored)
  return (found ?? (accounts.length === 1 ? accounts[0] : undefined))?.login
}

/** Switches to an account, or to all of them. @param isStored whether the tab stores the choice @throws Refusal */
export async function chooseAccount(login: string | undefined, isStored = false): Promise<void> {
  if (isStored) tabStorage.set(accountKey, login ?? allAccounts)
  if (login !== getState().account)
    setState({ account: login, world: undefined, timeline: undefined, assumptions: [] })
  await Promise.all([syncAccount(), syncQuality()])
}

/** Loads the chosen account's state, timeline and assumptions. @throws Refusal */
export async function syncAccount(): Promise<void> {
  const { account } = getState()
  if (account === undefined) return
  const [world, timeline, assumptions] = await Promise.all([
    admin<World>('GET', accountPath(account)),
    admin<Timeline>('GET', `/timeline${accountQuery(account)}`),
    admin<Assumption[]>('GET', `/assumptions${accountQuery(account)}`),
  ])
  if (getState().account === account) setState({ world, timeline, assumptions, clockReadAt: Date.now() })
}

/** Loads coverage and findings. With a single account, requests with a wrong login count too. */
export async function syncQuality(): Promise<void> {
  const { account, accounts } = getState()
  const query = accountQuery(accounts.length > 1 ? account : undefined)
  const [coverage, findings] = await Promise.all([
    admin<CoverageReport>('GET', `/coverage${query}`),
    admin<Finding[]>('GET', `/findings${query}`),
  ])
  if (getState().account !== account) return
  const rewound = new Set(getState().entries.flatMap((entry) => (entry.rewound ? entry.id : [])))
  const isUndone = ({ requests }: Finding) => requests.every(({ id }) => rewound.has(id))
  const undone = findings.filter(isUndone)
  setState({ coverage, undone, findings: findings.filter((one) => !undone.includes(one)) })
}

export async function syncAccounts(): Promise<void> {
  setState({ accounts: await admin<AccountSummary[]>('GET', '/accounts') })
}

export async function syncSnapshots(): Promise<void> {
  setState({ snapshots: await admin<Snapshot[]>('GET', '/snapshots') })
}
