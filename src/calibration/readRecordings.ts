import { asObject, mediaOf, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { counted } from '../lib/text.ts'
import { jsonOf } from '../lib/json.ts'
import { UserError } from '../lib/UserError.ts'
import type { Instant } from '../world/time.ts'
import type { Calibration } from './Calibration.ts'
import { countBy } from './countBy.ts'
import type { Credentials, Exchange } from './Exchange.ts'
import { maySet } from './observe.ts'
import { placeOf } from './placeOf.ts'
import { readHar, type HarEntry } from './readHar.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'
import { secretFields, Placeholders } from './Placeholders.ts'

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
  const skip = ({ number }: Call, reason: string): number => found.skipped.push({ exchange: number, reason })
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
    for (const call of own) if (call.flaw !== undefined) skip(call, call.flaw)
    calls.push(...ofOneHost(withCredentials(own), found, skip))
  }
  if (!calls.some(isJudged))
    throw new UserError(
      `There are no calls to this API in ${files.join(', ')} (${found.read} ${found.read === 1 ? 'entry' : 'entries'} read).`,
    )
  const groups = [...new Set(calls.map(({ group }) => group))]
    .map((group) => calls.filter((one) => one.group === group))
    .filter((group) => group.some(isJudged))
  found.notes.push(...clockNotes(calls))
  for (const group of ofOneAccount(groups, login, found, skip))
    found.groups.push({ name: nameOf(group), exchanges: inOrder(group) })
  const redactor = redactorOf(found.groups, calls, keep, contract)
  for (const group of found.groups)
    group.exchanges = group.exchanges.map((exchange) => redactor.exchange(exchange))
  found.skipped.sort((a, b) => a.exchange - b.exchange)
  return found
}

function isJudged({ flaw }: Call): boolean {
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
  if (place === undefined) return 'not this API'
  if (typeof place === 'string') return place
  const { operation, path, start } = place
  return {
    entry,
    operation,
    path,
    url: pathname.slice(start) + query,
    base: new URL(entry.url).origin + pathname.slice(0, start),
    credentials: entry.credentials ?? { form: 'unknown' },
    flaw: flawOf(entry, operation),
  }
}

function flawOf(
  { status, body, lacksRequestBody }: HarEntry,
  { method }: ContractOperation,
): string | undefined {
  if (status === 0) return 'no response was recorded'
  if (status === 304) return 'answered from a cache'
  if (body === undefined) return 'the recorder did not keep the response body'
  return lacksRequestBody && method !== 'GET' ? 'the recorder did not keep the request body' : undefined
}

/** If no entry of a file has credentials, its recorder leaves them out: then the response says what was sent. */
function withCredentials(calls: readonly Call[]): Call[] {
  const areKept = calls.some(({ entry, flaw }) => entry.credentials && flaw === undefined)
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

type Skip = (call: Call, reason: string) => void

function ofOneHost(calls: readonly Call[], { notes }: Recordings, skip: Skip): Call[] {
  const judged = calls.filter(isJudged)
  const counts = countBy(judged, ({ base }) => base)
  const [[most, count] = []] = counts
  if (counts.length > 1)
    notes.push(
      `${calls[0]?.file} has calls to ${counts.length} hosts; the one with the most is judged (${count} of ${judged.length} calls).`,
    )
  for (const one of judged) if (one.base !== most) skip(one, 'to another host')
  return calls.filter(({ base }) => base === most)
}

/** In each group, the account with the most calls is judged, unless `wanted` names another. */
function ofOneAccount(
  groups: readonly (readonly Call[])[],
  wanted: string | undefined,
  { notes }: Recordings,
  skip: Skip,
): Call[][] {
  const all = groups.map((calls) => ({ calls, accounts: accountsIn(calls) }))
  const isWanted = ({ login, name }: Account): boolean => login === wanted || name === wanted
  if (wanted !== undefined && !all.some(({ accounts }) => accounts.some(isWanted))) {
    const names = new Set(all.flatMap(({ accounts }) => accounts.map(({ name }) => name)))
    throw new UserError(
      `The recording has no account with the login that --login names. It has: ${[...names].join(', ') || 'none'}.`,
    )
  }
  return all.map(({ calls, accounts }) => {
    const found = accounts.find(isWanted)
    const judged = found ?? accounts[0]
    if (!found && judged && accounts.length > 1) {
      const counts = accounts.map(({ name, calls: count }) => `${name} with ${count} calls`).join(', ')
      notes.push(
        `${nameOf(calls)} has ${accounts.length} accounts (${counts}); ${judged.name} is judged. --login picks another.`,
      )
    }
    const good = new Set(calls.filter(isAccepted).map(keyOf))
    return calls.flatMap((call): Call[] => {
      const { credentials } = call
      if (credentials.form !== 'basic') return [call]
      const account = accounts.find(({ login }) => login === credentials.login)
      if (account && account !== judged) {
        if (isJudged(call)) skip(call, `of another account (${account.name})`)
        return []
      }
      if (!account && judged && !isJudged(call)) return [] // it is nobody's
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
  const logins = calls.filter(isAccepted).map(loginOf)
  const unique = [...new Set(logins)]
  return countBy(logins, (login) => login).map(([login, count]) => ({
    login,
    name: /^account-\d+$/.test(login) ? login : `account-${unique.indexOf(login) + 1}`,
    calls: count,
  }))
}

function loginOf({ credentials }: Call): string {
  return credentials.form === 'basic' ? credentials.login : ''
}

function keyOf({ credentials }: Call): string {
  return credentials.form === 'basic' ? credentials.key : ''
}

function isAccepted(call: Call): boolean {
  return (
    isJudged(call) &&
    call.credentials.form === 'basic' &&
    !['none', 'malformed-header', 'malformed-credentials'].includes(formShownBy(call.entry))
  )
}

/** What the user should know of clocks that disagree. */
function clockNotes(calls: readonly Call[]): string[] {
  return [...new Set(calls.map(({ file }) => file))].flatMap((file) => {
    const apart = calls
      .filter((one) => one.file === file)
      .map(({ entry: { date, started } }) => Math.abs((date ?? NaN) - (started ?? NaN)) / 60_000)
      .filter((minutes) => minutes > 1)
    return apart.length === 0
      ? []
      : [
          `${file}: in ${counted(apart.length, 'exchange')}, the Date header and startedDateTime are more than a minute apart (up to ${counted(Math.round(Math.max(...apart)), 'minute')}). The Date headers count.`,
        ]
  })
}

/**
 * Chronologically: by the service's clock if it was recorded, otherwise by the recorder's, adjusted to it. A call that can't
 * be judged may have been carried out: what it may have changed is in doubt at the next.
 */
function inOrder(calls: readonly Call[]): Exchange[] {
  const lags = calls
    .map(({ entry: { date, started } }) => (date ?? NaN) - (started ?? NaN))
    .filter((lag) => !Number.isNaN(lag))
    .toSorted((a, b) => a - b)
  const lag = lags[Math.floor(lags.length / 2)] ?? 0
  let last: Instant = 0
  const timed = calls.map((call) => {
    const { date, started } = call.entry
    last = date ?? (started === undefined ? last : started + lag)
    return { call, at: last, order: started ?? last - lag }
  })
  const exchanges: Exchange[] = []
  let doubts: string[] = []
  for (const { call, at } of timed.toSorted((a, b) => a.order - b.order || a.call.number - b.call.number)) {
    const { status } = call.entry
    if (isJudged(call)) {
      exchanges.push({ ...exchangeOf(call, at), ...(doubts.length > 0 && { uncertain: doubts }) })
      doubts = []
    }
    if (status >= 500 || (!isJudged(call) && status < 300)) doubts.push(...doubtsAbout(call))
  }
  return exchanges
}

function doubtsAbout({ operation, path, entry }: Call): string[] {
  return maySet(operation, path, entry.lacksRequestBody ? undefined : asObject(jsonOf(entry.requestBody)))
}

function exchangeOf({ number, entry, operation, path, url, credentials }: Call, at: Instant): Exchange {
  const { requestBody, requestHeaders, status, type, body = '' } = entry
  // From here on, who it was isn't needed, and an exchange has no secrets.
  const nobody = credentials.form === 'basic' && { login: '', key: '', secrets: [] }
  return {
    number,
    at,
    operation,
    path,
    request: {
      url,
      contentType: requestHeaders['content-type'],
      body: requestBody,
      value: jsonOf(requestBody),
      credentials: { ...credentials, ...nobody },
    },
    response: { status, type: mediaOf(type), body, value: jsonOf(body) },
  }
}
