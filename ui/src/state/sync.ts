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
import { getState, setState } from './store.ts'

/** Maximum number of entries on the page, equal to the simulator's default. */
export const journalLimit = 1000

/**
 * A function that loads something and shows it. If a later call of it has shown something already, what was loaded isn't shown,
 * because it may be older: responses on different connections overtake each other.
 */
function inOrder<T>(load: () => Promise<T>, show: (loaded: T) => unknown): () => Promise<void> {
  let [started, shown] = [0, 0]
  return async () => {
    const number = ++started
    const loaded = await load()
    if (number < shown) return
    shown = number
    await show(loaded)
  }
}

/** Reloads everything. @throws Refusal */
export const sync = inOrder(loadEverything, async ([{ version, scenario }, scenarios, accounts, journal]) => {
  const entries = journal.requests
  // A reset restarts the numbers of requests.
  const clearedUpTo = Math.min(getState().clearedUpTo, entries[0]?.id ?? 0)
  setState({ needsToken: false, version, scenario, scenarios, accounts, entries, clearedUpTo })
  await Promise.all([chooseAccount(findStoredAccount(accounts)), syncSnapshots()])
})

function loadEverything() {
  return Promise.all([
    admin<Health>('GET', '/health'),
    admin<ScenarioInfo[]>('GET', '/scenarios'),
    admin<AccountSummary[]>('GET', '/accounts'),
    admin<{ requests: JournalEntry[] }>('GET', `/requests?limit=${journalLimit}`),
  ])
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

/** Loads the assumptions, and the chosen account's state and timeline. @throws Refusal */
export const syncAccount = inOrder(
  async () => {
    const { account } = getState()
    const assumptions = await admin<Assumption[]>('GET', `/assumptions${accountQuery(account)}`)
    if (account === undefined) return { account, state: { assumptions } }
    const [world, timeline] = await Promise.all([
      admin<World>('GET', accountPath(account)),
      admin<Timeline>('GET', `/timeline${accountQuery(account)}`),
    ])
    return { account, state: { assumptions, world, timeline, clockReadAt: Date.now() } }
  },
  ({ account, state }) => {
    if (account === getState().account) setState(state)
  },
)

/** Loads coverage and findings. With a single account, requests with a wrong login count too. @throws Refusal */
export const syncQuality = inOrder(
  async () => {
    const { account, accounts } = getState()
    const query = accountQuery(accounts.length > 1 ? account : undefined)
    const [coverage, findings] = await Promise.all([
      admin<CoverageReport>('GET', `/coverage${query}`),
      admin<Finding[]>('GET', `/findings${query}`),
    ])
    return { account, coverage, findings }
  },
  ({ account, coverage, findings }) => {
    if (account !== getState().account) return
    const rewound = new Set(getState().entries.flatMap((entry) => (entry.rewound ? entry.id : [])))
    const isUndone = ({ requests }: Finding) => requests.every(({ id }) => rewound.has(id))
    setState({ coverage, findings: findings.filter((one) => !isUndone(one)) })
  },
)

export const syncAccounts = inOrder(
  () => admin<AccountSummary[]>('GET', '/accounts'),
  (accounts) => setState({ accounts }),
)

export const syncSnapshots = inOrder(
  () => admin<Snapshot[]>('GET', '/snapshots'),
  (snapshots) => setState({ snapshots }),
)
