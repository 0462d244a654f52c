import { isReproducible, type JournalRecord } from './journal/JournalRecord.ts'
import { getEntry } from './journal/getEntry.ts'
import type { Store } from './store/Store.ts'
import { withoutCount } from './world/faults.ts'
import { clockAt, getAccountTime } from './world/time.ts'
import type { World } from './world/World.ts'
import { exportAccount } from './scenario/exportScenario.ts'
import type { ScenarioDocument } from './scenario/ScenarioDocument.ts'

/** A request, and a scenario in which it gets the same response again. */
export interface Reproduction {
  scenario: ScenarioDocument
  /** The request as a command for a POSIX shell */
  curl: string
}

/** Replaces every account's password. The call uses it too, so its value doesn't matter. */
const password = 'secret'

/**
 * Reproduces a request from the journal. The scenario has the account just before it (all accounts if it was for none), with
 * a frozen clock and the same faults.
 * @param url the simulator's address: `http://127.0.0.1:4010`
 * @param isDefault whether the call uses PROXYSIM_URL instead, if it is set
 * @returns undefined if the history doesn't reach back that far, or the body can't be repeated exactly
 */
export async function reproduceRecord(
  store: Store,
  record: JournalRecord,
  url: string,
  isDefault = false,
): Promise<Reproduction | undefined> {
  if (!isReproducible(record)) return undefined
  const entry = getEntry(record)
  const { id, account, status, case: name, time } = record
  const before = account === null ? undefined : await findWorld(store, record)
  if (account !== null && !before) return undefined
  const worlds: [string, World][] =
    account !== null && before ? [[account, before]] : [...(await store.state()).accounts]
  // An unauthenticated request may contain a credential. Its body doesn't affect the response.
  const body = account === null ? undefined : record.requestBody
  // The description is one line, from which `exampleCall` parses the call.
  const bodyText = body !== undefined && /^\{.{0,1000}\}$/.test(body) ? ` ${body}` : ''
  const outcome =
    name === null ? (status === null ? 'was dropped' : `returns ${status}`) : `is refused with ${name}`
  const accounts = worlds.map(([login, world]) => {
    const tokens = world.tokens.map((_, i) => `tok_${i + 1}`)
    // The Date of an unauthenticated request is real time, which a frozen clock can't reproduce.
    const now = account === null ? getAccountTime(world.clock, record.at) : time
    return [login, exportAccount({ ...world, password, tokens, clock: clockAt(now, true, now) }, now)]
  })
  return {
    scenario: {
      description: `Reproduces request ${id} with the logins, passwords and tokens of this scenario: ${entry.method} ${entry.path}${bodyText} ${outcome}.`,
      accounts: Object.fromEntries(accounts) as ScenarioDocument['accounts'],
    },
    curl: formatCurl(record, body, worlds[0]?.[0], (path) =>
      isDefault ? `"\${PROXYSIM_URL:-${url}}"${quote(path)}` : quote(`${url}${path}`),
    ),
  }
}

/** The world before a request; also if the account has another load now, as long as this process has it. */
async function findWorld(store: Store, record: JournalRecord): Promise<World | undefined> {
  const { before, delayedBy } = record
  return before ? withoutCount(before, delayedBy) : store.worldBefore(record)
}

/** @param login the login of any account @param quoteUrl returns the URL of a path */
function formatCurl(
  record: JournalRecord,
  body: string | undefined,
  login: string | undefined,
  quoteUrl: (path: string) => string,
): string {
  const { method, path, request } = getEntry(record)
  const isHead = method === 'HEAD' // curl takes only one of -I and a body
  const data = isHead ? undefined : body
  const parts = [
    'curl',
    '-i',
    '-g',
    '--path-as-is',
    isHead ? '-I' : `-X ${method}`,
    ...authorization(record, login),
  ]
  for (const name of data === undefined ? ['accept'] : ['accept', 'content-type']) {
    const value = request.headers[name]
    parts.push('-H', quote(value === undefined ? `${name}:` : `${name}: ${value}`))
  }
  if (data !== undefined) parts.push('--data-raw', quote(data))
  return [...parts, quoteUrl(path)].join(' ')
}

/** The credentials of refused requests aren't shown, but replaced with others that are refused in the same way. */
function authorization({ account, case: name }: JournalRecord, login: string | undefined): string[] {
  if (account !== null) return ['-u', quote(`${account}:${password}`)]
  if (name === 'invalid-authorization-header') return ['-H', quote('authorization: Bearer none')]
  if (name === 'invalid-credentials-format') return ['-H', quote('authorization: Basic none')]
  return login === undefined ? [] : ['-u', quote(`${login}:wrong-password`)]
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
