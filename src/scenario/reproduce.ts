import { isReproducible, type JournalRecord } from '../journal/JournalRecord.ts'
import { entryOf } from '../journal/redaction/redactRecord.ts'
import type { Store } from '../store/Store.ts'
import { clockAt } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { exportAccount } from './exportScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'

/** A request that gets the same response when repeated elsewhere. */
export interface Reproduction {
  scenario: ScenarioDocument
  /** For a POSIX shell */
  curl: string
}

/** In place of every account's password: what it is decides nothing, as the call is made with the same. */
const password = 'secret'

/**
 * Reproduces a request from the journal: the account as it was just before (all that it could have meant, if it reached
 * none), with its clock frozen and its faults as they were.
 * @param url where the simulator listens: `http://127.0.0.1:4010`
 * @returns undefined if the history doesn't reach back that far, or the body can't be sent again as it was
 */
export async function reproduceRecord(
  store: Store,
  record: JournalRecord,
  url: string,
): Promise<Reproduction | undefined> {
  if (!isReproducible(record)) return undefined
  const sent = repeatable(record)
  const { id, account, method, path, requestBody = '', status, case: name, time } = sent
  const before = account === null ? undefined : (sent.before ?? (await store.worldBefore(sent)))
  if (account !== null && !before) return undefined
  const worlds: [string, World][] =
    account !== null && before ? [[account, before]] : [...(await store.state()).accounts]
  // A description is one line, and the call is parsed from it again (`exampleCall`).
  const body = /^\{.*\}$/.test(requestBody) && requestBody.length < 1000 ? ` ${requestBody}` : ''
  const outcome =
    name === null ? (status === null ? 'was dropped' : `returns ${status}`) : `is refused with ${name}`
  const accounts = worlds.map(([login, world]) => {
    const tokens = world.tokens.map((_, i) => `tok_${i + 1}`)
    return [login, exportAccount({ ...world, password, tokens, clock: clockAt(time, true, time) }, time)]
  })
  return {
    scenario: {
      description: `Request ${id} as it was; logins, passwords and tokens are those of its scenario: ${method} ${path}${body} ${outcome}.`,
      accounts: Object.fromEntries(accounts) as ScenarioDocument['accounts'],
    },
    curl: curlOf(sent, worlds[0]?.[0], url),
  }
}

/**
 * What an unauthenticated request sent may be a credential, so it is sent as the journal shows it: the refusal is the same. So is
 * every query, which no operation reads.
 */
function repeatable(record: JournalRecord): JournalRecord {
  const entry = entryOf(record)
  if (record.account === null)
    return { ...record, path: entry.path, requestHeaders: entry.request.headers, requestBody: undefined }
  const [path = ''] = record.path.split('?', 1)
  const query = entry.path.indexOf('?')
  return { ...record, path: query === -1 ? path : path + entry.path.slice(query) }
}

/** @param first the login of some account */
function curlOf(record: JournalRecord, first: string | undefined, url: string): string {
  const { method, path, requestHeaders } = record
  const requestBody = method === 'HEAD' ? undefined : record.requestBody // curl takes only one of -I and a body
  const parts = ['curl', '-i', '-g', '--path-as-is']
  if (method === 'HEAD') parts.push('-I')
  else if (method !== (requestBody === undefined ? 'GET' : 'POST')) parts.push('-X', method)
  parts.push(...authorization(record, first))
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
function authorization({ account, case: name }: JournalRecord, first: string | undefined): string[] {
  if (account !== null) return ['-u', quoted(`${account}:${password}`)]
  if (name === 'invalid-authorization-header') return ['-H', quoted('authorization: Bearer none')]
  if (name === 'invalid-credentials-format') return ['-H', quoted('authorization: Basic none')]
  return first === undefined ? [] : ['-u', quoted(`${first}:wrong-password`)]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
