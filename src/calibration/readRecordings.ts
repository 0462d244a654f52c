import { asObject, mediaOf, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { jsonOf } from '../lib/json.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import type { Calibration } from './Calibration.ts'
import { countBy } from './countBy.ts'
import type { Credentials, Exchange } from './Exchange.ts'
import { maySet } from './observe.ts'
import { placeOf, readHar, type HarEntry } from './readHar.ts'
import { secretFields, Placeholders } from './Placeholders.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'

export interface Recordings {
  /** Those that have calls to this API; their exchanges have placeholders for secrets */
  groups: Group[]
  skipped: Calibration['exchanges']['skipped']
  /** Number of entries in all files */
  read: number
  /** What the user should know: several accounts or hosts, clocks that disagree */
  notes: string[]
}

/**
 * Exchanges that show the same account. Each recording of `record` is a group of its own, as its placeholders mean
 * nothing elsewhere; the files of other recorders are one.
 */
export interface Group {
  /** Its files */
  name: string
  /** In chronological order */
  exchanges: Exchange[]
}

/** An entry that is a call to this API. */
interface Call {
  number: number
  file: string
  /** Empty for the files of other recorders */
  group: string
  entry: HarEntry
  operation: ContractOperation
  path: Record<string, string>
  /** Starts at the API's own path */
  url: string
  /** Scheme, host and any prefix before the API's own path */
  base: string
  credentials: Credentials
  /** Why it can't be judged */
  flaw: string | undefined
}

/** Reads the calls to this API from HAR files. @throws UserError */
export async function readRecordings(
  files: readonly string[],
  contract: Contract,
  { login, keep = [] }: { login?: string | undefined; keep?: readonly string[] } = {},
): Promise<Recordings> {
  const found: Recordings = { groups: [], skipped: [], read: 0, notes: [] }
  const calls: Call[] = []
  for (const [i, file] of files.entries()) {
    const { entries, isOurs } = await readHar(file)
    const own: Call[] = []
    for (const entry of entries) {
      const number = ++found.read
      const call = callIn(entry, contract)
      if (typeof call === 'string') found.skipped.push({ exchange: number, reason: call })
      else own.push({ ...call, number, file, group: isOurs ? String(i) : '' })
    }
    for (const { number, flaw } of own)
      if (flaw !== undefined) found.skipped.push({ exchange: number, reason: flaw })
    found.notes.push(...clockNotes(file, own))
    calls.push(...ofOneHost(withCredentials(own), found))
  }
  if (!calls.some(isKept))
    throw new UserError(
      `There are no calls to this API in ${files.join(', ')} (${counted(found.read, 'exchange')}).`,
    )
  const names = new Set(calls.map(({ group }) => group))
  const all = [...names].map((name) => calls.filter((call) => call.group === name))
  const usable = all.filter((some) => some.some(isKept))
  for (const group of ofOneAccount(usable, login, found))
    found.groups.push({ name: nameOf(group), exchanges: inOrder(group) })
  const redactor = redactorOf(found.groups, calls, keep, contract)
  for (const group of found.groups)
    group.exchanges = group.exchanges.map((exchange) => redactor.exchange(exchange))
  found.skipped.sort((a, b) => a.exchange - b.exchange)
  return found
}

function isKept({ flaw }: Call): boolean {
  return flaw === undefined
}

function redactorOf(
  groups: readonly Group[],
  calls: readonly Call[],
  keep: readonly string[],
  contract: Contract,
): RecordingRedactor {
  // Our own recorder has put in the placeholders already.
  if (calls.every(({ group }) => group !== ''))
    return new RecordingRedactor(new Placeholders(secretFields), contract)
  const secrets = calls.flatMap(({ credentials }) =>
    credentials.form === 'basic' ? credentials.secrets : [],
  )
  const exchanges = groups.flatMap((group) => group.exchanges)
  return RecordingRedactor.of(exchanges, new Set(secrets), keep, contract)
}

function nameOf(group: readonly Call[]): string {
  return [...new Set(group.map(({ file }) => file))].join(', ')
}

/** The call to this API, or why it is none. */
function callIn(entry: HarEntry, contract: Contract): Omit<Call, 'number' | 'file' | 'group'> | string {
  const { method } = entry
  if (!URL.canParse(entry.url)) return 'no URL'
  // URL would resolve `..`, which the service may not.
  const [, pathname = '', query = ''] = /^\w+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(entry.url) ?? []
  if (method === 'OPTIONS') return 'a CORS preflight'
  const place = placeOf(pathname, method, contract)
  if (typeof place !== 'object') return place ?? 'not this API'
  const { operation, path, start } = place
  return {
    entry,
    operation,
    path,
    url: pathname.slice(start) + query,
    base: new URL(entry.url).origin + pathname.slice(0, start),
    credentials: entry.credentials ?? { form: 'unknown' },
    flaw: flawOf(entry),
  }
}

function flawOf({ status, body, lacksRequestBody, method }: HarEntry): string | undefined {
  if (status === 0) return 'no response was recorded'
  if (status === 304) return 'answered from a cache'
  if (body === undefined) return 'the recorder did not keep the response body'
  return lacksRequestBody && method !== 'GET' ? 'the recorder did not keep the request body' : undefined
}

/** If no entry of a file has credentials, its recorder leaves them out: then the response says what was sent. */
function withCredentials(calls: readonly Call[]): Call[] {
  const areKept = calls.some((call) => call.entry.credentials && isKept(call))
  return calls.map((one) => {
    if (one.entry.credentials && one.credentials.form !== 'unknown') return one
    const isKnown = areKept && !one.entry.credentials
    return { ...one, credentials: { form: isKnown ? 'none' : formShownBy(one.entry) } }
  })
}

function formShownBy({ status, body = '' }: HarEntry): Exclude<Credentials['form'], 'basic'> {
  if (status === 401) return 'none'
  if (status === 400 && body.startsWith('Invalid Authorization')) return 'malformed-header'
  if (status === 400 && body.startsWith('Invalid credentials')) return 'malformed-credentials'
  return 'unknown'
}

function ofOneHost(calls: readonly Call[], { notes, skipped }: Recordings): Call[] {
  const kept = calls.filter(isKept)
  const counts = countBy(kept, ({ base }) => base)
  const [[most, count] = []] = counts
  if (counts.length > 1)
    notes.push(
      `${calls[0]?.file} has calls to ${counts.length} hosts; the one with the most is judged (${count} of ${kept.length} calls).`,
    )
  for (const { base, number } of kept)
    if (base !== most) skipped.push({ exchange: number, reason: 'to another host' })
  return calls.filter(({ base }) => base === most)
}

/** In each group, the account with the most calls is judged, unless `wanted` names another. */
function ofOneAccount(
  groups: readonly (readonly Call[])[],
  wanted: string | undefined,
  { notes, skipped }: Recordings,
): Call[][] {
  const all = groups.map((calls) => ({ calls, accounts: accountsIn(calls) }))
  const isWanted = ({ login, name }: Account): boolean => login === wanted || name === wanted
  if (wanted !== undefined && !all.some(({ accounts }) => accounts.some(isWanted))) {
    const names = new Set(all.flatMap(({ accounts }) => accounts.map(({ name }) => name)))
    throw new UserError(
      `The recording has no account with the login that --account names. It has: ${[...names].join(', ') || 'none'}.`,
    )
  }
  return all.map(({ calls, accounts }) => {
    const found = accounts.find(isWanted)
    const chosen = found ?? accounts[0]
    if (!found && chosen && accounts.length > 1) {
      const counts = accounts.map(({ name, calls: count }) => `${name} with ${count} calls`).join(', ')
      notes.push(
        `${nameOf(calls)} has ${accounts.length} accounts (${counts}); ${chosen.name} is judged. --account picks another.`,
      )
    }
    const good = new Set(calls.filter(isAccepted).map(({ credentials }) => keyOf(credentials)))
    return calls.flatMap((call): Call[] => {
      const { credentials } = call
      if (credentials.form !== 'basic') return [call]
      const account = accounts.find(({ login }) => login === credentials.login)
      if (account && account !== chosen) {
        if (isKept(call))
          skipped.push({ exchange: call.number, reason: `of another account (${account.name})` })
        return []
      }
      if (!account && chosen && !isKept(call)) return [] // it is nobody's
      return [{ ...call, credentials: { ...credentials, isGood: good.has(credentials.key) } }]
    })
  })
}

interface Account {
  login: string
  /** What it is shown as: logins are private */
  name: string
  calls: number
}

/** Accounts are told apart by login. The one with the most calls is first. */
function accountsIn(calls: readonly Call[]): Account[] {
  const logins = calls
    .filter(isAccepted)
    .map(({ credentials }) => (credentials.form === 'basic' ? credentials.login : ''))
  const unique = [...new Set(logins)]
  return countBy(logins, (login) => login).map(([login, count]) => ({
    login,
    name: /^account-\d+$/.test(login) ? login : `account-${unique.indexOf(login) + 1}`,
    calls: count,
  }))
}

function keyOf(credentials: Credentials): string {
  return credentials.form === 'basic' ? credentials.key : ''
}

function isAccepted(call: Call): boolean {
  return isKept(call) && call.credentials.form === 'basic' && formShownBy(call.entry) === 'unknown'
}

/** What the user should know of clocks that disagree. */
function clockNotes(file: string, calls: readonly Call[]): string[] {
  const apart = calls
    .map(({ entry: { date, started } }) => Math.abs((date ?? NaN) - (started ?? NaN)) / 60_000)
    .filter((minutes) => minutes > 1)
  if (apart.length === 0) return []
  const most = counted(Math.round(apart.reduce((a, b) => Math.max(a, b))), 'minute')
  return [
    `${file}: in ${counted(apart.length, 'exchange')}, the Date header and startedDateTime are more than a minute apart (up to ${most}). The Date headers count.`,
  ]
}

/**
 * Chronologically: by the service's clock if it was recorded, otherwise by the recorder's, adjusted to it. A call that can't
 * be judged may have been carried out: what it may have changed is uncertain at the next.
 */
function inOrder(calls: readonly Call[]): Exchange[] {
  const lags = calls
    .flatMap(({ entry: { date, started } }) =>
      date === undefined || started === undefined ? [] : [date - started],
    )
    .toSorted((a, b) => a - b)
  const lag = lags[Math.floor(lags.length / 2)] ?? 0
  let last = 0
  const timed = calls.map((call) => {
    const { date, started } = call.entry
    last = date ?? (started === undefined ? last : started + lag)
    return { call, at: last, order: started ?? last - lag }
  })
  const exchanges: Exchange[] = []
  let uncertain: string[] = []
  for (const { call, at } of timed.toSorted((a, b) => a.order - b.order || a.call.number - b.call.number)) {
    const { operation, path, entry } = call
    if (isKept(call)) {
      exchanges.push({ ...exchangeOf(call, at), ...(uncertain.length > 0 && { uncertain }) })
      uncertain = []
    }
    if (entry.status < 500 && (isKept(call) || entry.status >= 300)) continue
    const body = entry.lacksRequestBody ? undefined : asObject(jsonOf(entry.requestBody))
    uncertain.push(...maySet(operation, path, body))
  }
  return exchanges
}

function exchangeOf({ number, entry, operation, path, url, credentials }: Call, at: number): Exchange {
  const { requestBody, contentType, status, type, body = '' } = entry
  // From here on, who it was isn't needed, and an exchange has no secrets.
  const nobody = credentials.form === 'basic' && { login: '', key: '', secrets: [] }
  return {
    number,
    at,
    operation,
    path,
    request: {
      url,
      contentType,
      body: requestBody,
      value: jsonOf(requestBody),
      credentials: { ...credentials, ...nobody },
    },
    response: { status, type: mediaOf(type), body, value: jsonOf(body) },
  }
}
