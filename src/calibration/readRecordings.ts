import { asObject, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'
import type { Instant } from '../world/time.ts'
import type { Calibration } from './Calibration.ts'
import { countBy } from './countBy.ts'
import { jsonOf } from '../jsonOf.ts'
import { mediaOf, type Answer, type BasicCredentials, type Credentials, type Exchange } from './Exchange.ts'
import { placeOf } from './placeOf.ts'
import { readHar, type HarEntry } from './readHar.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'
import { maySet } from './observe.ts'
import { secretFields, StandIns } from './StandIns.ts'

/** An exchange that is not judged. */
type Skipped = Calibration['exchanges']['skipped'][number]

export interface Recordings {
  /** Those that have calls to this API; their exchanges have stand-ins in place of secrets */
  groups: Group[]
  skipped: Skipped[]
  /** Number of entries in all files */
  read: number
  /** What the user should know: several accounts or hosts */
  notes: string[]
}

/**
 * Exchanges that show the same world. Each archive of our own recorder is a group of its own, as its stand-ins mean
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
  /** Which group it belongs to: '' is that of other recorders */
  group: string
  entry: HarEntry
  operation: ContractOperation
  path: Record<string, string>
  /** Starts at the API's own path */
  url: string
  /** Scheme, host and any prefix before the API's own path */
  base: string
}

/** A call that can be judged. */
interface Candidate extends Call {
  credentials: Credentials
}

/** Reads the calls to this API from HAR files. @throws UserError */
export async function readRecordings(
  files: readonly string[],
  contract: Contract,
  { login, keep = [] }: { login?: string | undefined; keep?: readonly string[] } = {},
): Promise<Recordings> {
  const skipped: Skipped[] = []
  const notes: string[] = []
  const candidates: Candidate[] = []
  const unsettled: Call[] = []
  let read = 0
  for (const [i, file] of files.entries()) {
    const { entries, isOurs } = await readHar(file)
    const found: Call[] = []
    for (const entry of entries) {
      const call = callIn(entry, contract)
      const number = ++read
      if (typeof call === 'string') skipped.push({ exchange: number, reason: call })
      else {
        const one = { ...call, number, file, group: isOurs ? `${i} ${entry.group}` : '', entry }
        const flaw = flawOf(one)
        if (flaw === undefined) found.push(one)
        else {
          skipped.push({ exchange: number, reason: flaw })
          if (entry.status < 300 || entry.status >= 500) unsettled.push(one)
        }
      }
    }
    for (const one of ofOneHost(withCredentials(found), file, skipped, notes)) candidates.push(one)
  }
  if (candidates.length === 0)
    throw new UserError(
      `There are no calls to this API in ${files.join(', ')} (${read} ${read === 1 ? 'entry' : 'entries'} read).`,
    )
  const groups = [...new Set(candidates.map(({ group }) => group))].map((group) =>
    candidates.filter((one) => one.group === group),
  )
  const judged = ofOneAccount(groups, login, skipped, notes).map(({ group, isOf }) => ({
    name: nameOf(group),
    exchanges: inOrder(group, unsettled.filter(isOf)),
  }))
  const redactor = redactorOf(judged, candidates, keep, contract)
  return {
    groups: judged.map(({ name, exchanges }) => ({
      name,
      exchanges: exchanges.map((exchange) => redactor.exchange(exchange)),
    })),
    skipped: skipped.toSorted((a, b) => a.exchange - b.exchange),
    read,
    notes,
  }
}

function redactorOf(
  groups: readonly Group[],
  candidates: readonly Candidate[],
  keep: readonly string[],
  contract: Contract,
): RecordingRedactor {
  // Our own recorder has put in the stand-ins already.
  if (candidates.every(({ group }) => group !== ''))
    return new RecordingRedactor(new StandIns(secretFields), contract)
  const secrets = candidates.flatMap(({ credentials }) =>
    credentials.form === 'basic' ? credentials.secrets : [],
  )
  return RecordingRedactor.of(
    groups.flatMap(({ exchanges }) => exchanges),
    new Set(secrets),
    keep,
    contract,
  )
}

function nameOf(group: readonly Candidate[]): string {
  return [...new Set(group.map(({ file }) => file))].join(', ')
}

/** The call to this API, or why it is none. */
function callIn(
  entry: HarEntry,
  contract: Contract,
): Pick<Call, 'operation' | 'path' | 'url' | 'base'> | string {
  const { method } = entry
  if (!URL.canParse(entry.url)) return 'no URL'
  const { origin } = new URL(entry.url)
  // URL would resolve `..`, which the service may not.
  const [, pathname = '', query = ''] = /^\w+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(entry.url) ?? []
  if (method === 'OPTIONS') return 'a CORS preflight'
  const place = placeOf(pathname, method, contract)
  if (place === undefined) return 'not this API'
  if (typeof place === 'string') return place
  const { operation, path, start } = place
  return {
    operation,
    path,
    url: pathname.slice(start) + query,
    base: origin + pathname.slice(0, start),
  }
}

/** Why a call can't be judged. */
function flawOf({ entry, operation }: Call): string | undefined {
  const { status, body, lacksRequestBody } = entry
  if (status === 0) return 'no response was recorded'
  if (status === 304) return 'answered from a cache'
  if (body === undefined) return 'the recorder did not keep the response body'
  if (lacksRequestBody && operation.method !== 'GET') return 'the recorder did not keep the request body'
  return undefined
}

/** If no entry of a file has credentials, its recorder leaves them out: then what was sent is unknown. */
function withCredentials(found: readonly Call[]): Candidate[] {
  const missing = { form: found.some(({ entry }) => entry.credentials) ? 'none' : 'unknown' } as const
  return found.map((one) => ({ ...one, credentials: one.entry.credentials ?? missing }))
}

function ofOneHost(
  found: readonly Candidate[],
  file: string,
  skipped: Skipped[],
  notes: string[],
): Candidate[] {
  const counts = countBy(found, ({ base }) => base)
  const [judged] = counts[0] ?? []
  if (counts.length > 1)
    notes.push(
      `${file} has calls to ${counts.length} hosts; the one with the most is judged (${counts[0]?.[1]} of ${found.length} calls).`,
    )
  return found.filter(({ base, number }) => {
    if (base !== judged) skipped.push({ exchange: number, reason: 'to another host' })
    return base === judged
  })
}

function isAboutCredentials({ entry: { status, body = '' } }: Candidate): boolean {
  return (
    status === 401 ||
    (status === 400 && /^Invalid (?:Authorization header|credentials format)\s*$/.test(body))
  )
}

interface Account {
  login: string
  /** What it is shown as: logins are private */
  name: string
  calls: number
}

interface AccountCalls {
  group: Candidate[]
  /** Whether a call that can't be judged may be the account's, too */
  isOf: (call: Call) => boolean
}

/** In each group, the account with the most calls is judged, unless `wanted` names another. */
function ofOneAccount(
  groups: readonly (readonly Candidate[])[],
  wanted: string | undefined,
  skipped: Skipped[],
  notes: string[],
): AccountCalls[] {
  const all = groups.map((group) => ({ group, accounts: accountsOf(group) }))
  const isWanted = ({ login, name }: Account): boolean => login === wanted || name === wanted
  if (wanted !== undefined && !all.some(({ accounts }) => accounts.some(isWanted))) {
    const names = new Set(all.flatMap(({ accounts }) => accounts.map(({ name }) => name)))
    throw new UserError(
      `The recording has no account with the login that --login names. It has: ${[...names].join(', ') || 'none'}.`,
    )
  }
  return all.map(({ group, accounts }) => {
    const found = accounts.find(isWanted)
    const judged = found ?? accounts[0]
    if (!found && judged && accounts.length > 1)
      notes.push(
        `${nameOf(group)} has ${accounts.length} accounts (${accounts.map(({ name, calls }) => `${name} with ${calls} calls`).join(', ')}); ${judged.name} is judged. --login picks another.`,
      )
    const others = new Map(accounts.filter((one) => one !== judged).map(({ login, name }) => [login, name]))
    const good = new Set(group.flatMap((one) => (isAccepted(one) ? [one.credentials.key] : [])))
    const own = group.flatMap((candidate): Candidate[] => {
      const { credentials, number } = candidate
      if (credentials.form !== 'basic') return [{ ...candidate, credentials: guessed(candidate) }]
      const other = others.get(credentials.login)
      if (other !== undefined) {
        skipped.push({ exchange: number, reason: `of another account (${other})` })
        return []
      }
      const isGood = good.has(credentials.key)
      // From here on, no more is needed, and an exchange has no secrets.
      return [{ ...candidate, credentials: { form: 'basic', login: '', key: '', secrets: [], isGood } }]
    })
    const isOf = ({ group: name, base, entry: { credentials } }: Call): boolean =>
      own.some((one) => one.group === name && one.base === base) &&
      (credentials?.form !== 'basic' || !judged || credentials.login === judged.login)
    return { group: own, isOf }
  })
}

/** Accounts are told apart by login. The one with the most calls is first. */
function accountsOf(group: readonly Candidate[]): Account[] {
  const logins = group.filter(isAccepted).map(({ credentials }) => credentials.login)
  const unique = [...new Set(logins)]
  return countBy(logins, (login) => login).map(([login, calls]) => ({
    login,
    name: /^account-\d+$/.test(login) ? login : `account-${unique.indexOf(login) + 1}`,
    calls,
  }))
}

function isAccepted(one: Candidate): one is Candidate & { credentials: BasicCredentials } {
  return one.credentials.form === 'basic' && !isAboutCredentials(one)
}

/** If what was sent is unknown, the service's response to it isn't. */
function guessed({ credentials, entry: { status, body = '' } }: Candidate): Credentials {
  if (credentials.form !== 'unknown') return credentials
  if (status === 401) return { form: 'none' }
  if (status === 400 && body.startsWith('Invalid Authorization')) return { form: 'malformed-header' }
  if (status === 400 && body.startsWith('Invalid credentials')) return { form: 'malformed-credentials' }
  return credentials
}

/**
 * Chronologically: by the service's clock if it was recorded, otherwise by the recorder's, adjusted to it.
 * @param unsettled calls that may have been carried out, but can't be judged
 */
function inOrder(judged: readonly Candidate[], unsettled: readonly Call[]): Exchange[] {
  const candidates: (Candidate | Call)[] = [...judged, ...unsettled].toSorted((a, b) => a.number - b.number)
  const dates = candidates.map(({ entry }) => {
    const date = Date.parse(entry.responseHeaders['date'] ?? '')
    return Number.isNaN(date) ? undefined : date
  })
  const lags = candidates
    .flatMap(({ entry: { started } }, i) => {
      const date = dates[i]
      return started === undefined || date === undefined ? [] : [date - started]
    })
    .toSorted((a, b) => a - b)
  const lag = lags[Math.floor(lags.length / 2)] ?? 0
  let last: Instant = 0
  const timed = candidates.map((candidate, i) => {
    const { started } = candidate.entry
    last = dates[i] ?? (started === undefined ? last : started + lag)
    return { candidate, at: last, order: started ?? last - lag }
  })
  const exchanges: Exchange[] = []
  let doubts: string[] = []
  for (const { candidate, at } of timed.toSorted(
    (a, b) => a.order - b.order || a.candidate.number - b.candidate.number,
  )) {
    doubts.push(...candidate.entry.doubts)
    if ('credentials' in candidate) {
      exchanges.push({ ...exchangeOf(candidate, at), ...(doubts.length > 0 && { doubts }) })
      doubts = []
    }
    if (!('credentials' in candidate) || candidate.entry.status >= 500) doubts.push(...doubtsAbout(candidate))
  }
  return exchanges
}

function doubtsAbout({ operation, path, entry }: Call): string[] {
  return maySet(operation, path, entry.lacksRequestBody ? undefined : asObject(jsonOf(entry.requestBody)))
}

function exchangeOf({ number, entry, operation, path, url, credentials }: Candidate, at: Instant): Exchange {
  const { requestBody, requestHeaders, status, type, body = '' } = entry
  const response: Answer = { status, type: mediaOf(type), body, value: jsonOf(body) }
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
      credentials,
    },
    response,
  }
}
