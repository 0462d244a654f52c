import type { JournalRecord } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import { clockAt } from '../world/time.ts'
import type { Store } from '../store/Store.ts'
import type { World } from '../world/World.ts'
import { exportAccount } from './exportScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'

/** A request that gets the same response when repeated elsewhere. */
export interface Reproduction {
  scenario: ScenarioDocument
  /** For a POSIX shell */
  curl: string
}

/**
 * Makes a scenario of the moment before a request: the world at that time, with its clock frozen and its faults armed
 * as they were.
 * @param worlds the request's account only; if it didn't reach one, all accounts it could have meant
 * @param url where the simulator listens: `http://127.0.0.1:4010`
 */
export function reproduce(
  record: RawRecord,
  worlds: Readonly<Record<string, World>>,
  url: string,
): Reproduction {
  const { id, method, path, requestBody, status, case: name, time } = record
  const shown = Object.fromEntries(
    Object.entries(worlds).map(([login, world]) => [login, withoutCredentials(world)]),
  )
  const call = `${method} ${path}${requestBody === undefined || !isOneLine(requestBody) ? '' : ` ${requestBody}`}`
  const outcome =
    name === null ? (status === null ? 'was dropped' : `answers ${status}`) : `is refused with ${name}`
  const frozen = clockAt(time, true, time)
  return {
    scenario: {
      description: `Request ${id} as it was; logins, passwords and tokens are those of its scenario: ${call} ${outcome}.`,
      accounts: Object.fromEntries(
        Object.entries(shown).map(([login, world]) => [
          login,
          exportAccount({ ...world, clock: frozen }, time),
        ]),
      ),
    },
    curl: curlOf(record, shown, url),
  }
}

/** With others in the place of its password and tokens: what they are decides nothing, as the call is made with the same. */
function withoutCredentials(world: World): World {
  return { ...world, password: 'secret', tokens: world.tokens.map((_, i) => `tok_${i + 1}`) }
}

/**
 * Reproduces a request from the journal.
 * @returns undefined if the history doesn't reach back that far, or the body can't be sent again as it was
 */
export async function reproduceRecord(
  store: Store,
  record: JournalRecord,
  url: string,
): Promise<Reproduction | undefined> {
  if (!record.isReproducible) return undefined
  const raw = repeatable(record)
  const { account } = raw
  if (account === null) return reproduce(raw, Object.fromEntries((await store.state()).accounts), url)
  const world = raw.before ?? (await store.worldBefore(raw))
  return world && reproduce(raw, { [account]: world }, url)
}

/**
 * What an unauthenticated request sent may be a credential, so it is sent as the journal shows it: the refusal is the same. So is
 * every query, which no operation reads.
 */
function repeatable({ raw, entry }: JournalRecord): RawRecord {
  if (raw.account !== null) {
    const [path = ''] = raw.path.split('?', 1)
    const query = entry.path.indexOf('?')
    return { ...raw, path: query === -1 ? path : path + entry.path.slice(query) }
  }
  return { ...raw, path: entry.path, requestHeaders: entry.request.headers, requestBody: undefined }
}

/** A description is one line, and the call is parsed from it again (`exampleCall`). */
function isOneLine(body: string): boolean {
  return /^\{.*\}$/.test(body) && body.length < 1000
}

function curlOf(record: RawRecord, worlds: Readonly<Record<string, World>>, url: string): string {
  const { method, path, requestHeaders } = record
  const requestBody = method === 'HEAD' ? undefined : record.requestBody // curl takes only one of -I and a body
  const parts = ['curl', '-i', '-g', '--path-as-is']
  if (method === 'HEAD') parts.push('-I')
  else if (method !== (requestBody === undefined ? 'GET' : 'POST')) parts.push('-X', method)
  parts.push(...authorization(record, worlds))
  for (const name of ['accept', 'content-type', 'if-none-match', 'if-modified-since']) {
    const value = requestHeaders[name]
    if (value !== undefined) parts.push('-H', quoted(`${name}: ${String(value)}`))
    else if (name === 'accept' || (name === 'content-type' && requestBody !== undefined))
      parts.push('-H', `'${name}:'`)
  }
  if (requestBody !== undefined) parts.push('--data-raw', quoted(requestBody))
  return [...parts, quoted(`${url}${path}`)].join(' ')
}

/** Credentials of refused requests aren't shown; ones that are refused the same way take their place. */
function authorization(
  { account, case: name }: RawRecord,
  worlds: Readonly<Record<string, World>>,
): string[] {
  const [first] = Object.entries(worlds)
  const world = account === null ? undefined : worlds[account]
  if (account !== null && world) return ['-u', quoted(`${account}:${world.password}`)]
  if (name === 'invalid-authorization-header') return ['-H', quoted('authorization: Bearer none')]
  if (name === 'invalid-credentials-format') return ['-H', quoted('authorization: Basic none')]
  return first ? ['-u', quoted(`${first[0]}:wrong-password`)] : []
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
