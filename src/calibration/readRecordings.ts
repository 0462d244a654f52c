import { asObject, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'
import { redacted } from '../journal/redaction/redacted.ts'
import type { Instant } from '../world/time.ts'
import type { Calibration } from './Calibration.ts'
import { countBy } from './countBy.ts'
import { basicOf, jsonOf, mediaOf, type Answer, type Credentials, type Exchange } from './Exchange.ts'
import { placeOf } from './placeOf.ts'
import { readHar, type HarEntry } from './readHar.ts'
import { maySet } from './sights/sights.ts'

/** An exchange that is not judged. */
type Skipped = Calibration['exchanges']['skipped'][number]

export interface Recordings {
  /** Those that have calls to this API */
  groups: Group[]
  skipped: Skipped[]
  /** Number of entries in all files */
  read: number
  /** What the user should know: several accounts or hosts */
  notes: string[]
  /** Every value is a stand-in already, as our own recorder made all files */
  isRedacted: boolean
  /** Values that were sent as credentials; they must not be shown */
  secrets: string[]
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
interface Candidate {
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
  presented: Presented
}

type Presented =
  | { kind: 'basic'; login: string; key: string; secrets: string[] }
  | { kind: 'none' }
  | { kind: 'malformed'; header: string }
  | { kind: 'unknown' }

/** Reads the calls to this API from HAR files. @throws UserError */
export async function readRecordings(
  files: readonly string[],
  contract: Contract,
  login?: string,
): Promise<Recordings> {
  const skipped: Skipped[] = []
  const notes: string[] = []
  const candidates: Candidate[] = []
  const unsettled: Candidate[] = []
  let read = 0
  for (const [i, file] of files.entries()) {
    const { entries, isOurs } = await readHar(file)
    const found: Candidate[] = []
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
  const judged = ofOneAccount(groups, login, skipped, notes)
  return {
    groups: judged.map((group) => ({ name: nameOf(group), exchanges: inOrder(group, unsettled) })),
    skipped: skipped.toSorted((a, b) => a.exchange - b.exchange),
    read,
    notes,
    isRedacted: candidates.every(({ group }) => group !== ''),
    secrets: [
      ...new Set(
        candidates.flatMap(({ presented }) => (presented.kind === 'basic' ? presented.secrets : [])),
      ),
    ],
  }
}

function nameOf(group: readonly Candidate[]): string {
  return [...new Set(group.map(({ file }) => file))].join(', ')
}

/** The call to this API, or why it is none. */
function callIn(
  entry: HarEntry,
  contract: Contract,
): Pick<Candidate, 'operation' | 'path' | 'url' | 'base' | 'presented'> | string {
  const { method } = entry
  if (!URL.canParse(entry.url)) return 'no URL'
  const url = new URL(entry.url)
  if (method === 'OPTIONS') return 'a CORS preflight'
  const place = placeOf(url.pathname, method, contract)
  if (place === undefined) return 'not this API'
  if (typeof place === 'string') return place
  const { operation, path, start } = place
  return {
    operation,
    path,
    url: url.pathname.slice(start) + url.search,
    base: url.origin + url.pathname.slice(0, start),
    presented: presentedBy(entry),
  }
}

/** Why a call can't be judged. */
function flawOf({ entry, operation }: Candidate): string | undefined {
  const { status, body, lacksRequestBody } = entry
  if (status === 0) return 'no response was recorded'
  if (status === 304) return 'answered from a cache'
  if (body === undefined) return 'the recorder did not keep the response body'
  if (lacksRequestBody && operation.method !== 'GET') return 'the recorder did not keep the request body'
  return undefined
}

function presentedBy({ credentials, requestHeaders }: HarEntry): Presented {
  if (credentials) {
    const { form, login = '', secret = '' } = credentials
    if (form === 'basic') return { kind: 'basic', login, key: `${login}:${secret}`, secrets: [] }
    if (form === 'none') return { kind: 'none' }
    return { kind: 'malformed', header: form === 'malformed-header' ? 'Malformed' : 'Basic !' }
  }
  const header = requestHeaders['authorization']
  if (header === undefined) return { kind: 'none' }
  if (header.includes(redacted)) return { kind: 'unknown' } // the journal of a simulator
  const basic = basicOf(header)
  return typeof basic === 'string' ? { kind: 'malformed', header } : { kind: 'basic', ...basic }
}

/** If no entry of a file has credentials, its recorder leaves them out: then what was sent is unknown. */
function withCredentials(found: readonly Candidate[]): Candidate[] {
  const areKept = found.some(({ presented }) => presented.kind !== 'none')
  return areKept
    ? [...found]
    : found.map((candidate) =>
        candidate.entry.credentials ? candidate : { ...candidate, presented: { kind: 'unknown' as const } },
      )
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

type Judged = Candidate & { credentials: Credentials }

/** In each group, the account with the most calls is judged, unless `wanted` names another. */
function ofOneAccount(
  groups: readonly (readonly Candidate[])[],
  wanted: string | undefined,
  skipped: Skipped[],
  notes: string[],
): Judged[][] {
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
    const good = new Set(group.flatMap((one) => (isAccepted(one) ? [one.presented.key] : [])))
    return group.flatMap((candidate) => {
      const { presented, number } = candidate
      if (presented.kind !== 'basic') return [{ ...candidate, credentials: credentialsOf(candidate) }]
      const other = others.get(presented.login)
      if (other !== undefined) {
        skipped.push({ exchange: number, reason: `of another account (${other})` })
        return []
      }
      const kind = good.has(presented.key) ? ('good' as const) : ('wrong' as const)
      return [{ ...candidate, credentials: { kind } }]
    })
  })
}

/** Accounts are told apart by login. The one with the most calls is first. */
function accountsOf(group: readonly Candidate[]): Account[] {
  const logins = group.filter(isAccepted).map(({ presented }) => presented.login)
  const unique = [...new Set(logins)]
  return countBy(logins, (login) => login).map(([login, calls]) => ({
    login,
    name: /^account-\d+$/.test(login) ? login : `account-${unique.indexOf(login) + 1}`,
    calls,
  }))
}

function isAccepted(one: Candidate): one is Candidate & { presented: Extract<Presented, { kind: 'basic' }> } {
  return one.presented.kind === 'basic' && !isAboutCredentials(one)
}

function credentialsOf({ presented, entry: { status, body = '' } }: Candidate): Credentials {
  if (presented.kind !== 'unknown') return presented as Credentials
  // What was sent is unknown, but the service's response to it isn't.
  if (status === 401) return { kind: 'none' }
  if (status === 400 && body.startsWith('Invalid Authorization'))
    return { kind: 'malformed', header: 'Malformed' }
  if (status === 400 && body.startsWith('Invalid credentials'))
    return { kind: 'malformed', header: 'Basic !' }
  return presented
}

/** Whether a call went to the account that is judged. */
function isOf(judged: readonly Judged[], { group, base, presented }: Candidate): boolean {
  const logins = judged.flatMap((one) => (one.presented.kind === 'basic' ? [one.presented.login] : []))
  return (
    judged.some((one) => one.group === group && one.base === base) &&
    (presented.kind !== 'basic' || logins.length === 0 || logins.includes(presented.login))
  )
}

/**
 * Chronologically: by the service's clock if it was recorded, otherwise by the recorder's, adjusted to it.
 * @param unsettled calls that may have been carried out, but can't be judged
 */
function inOrder(judged: readonly Judged[], unsettled: readonly Candidate[]): Exchange[] {
  const candidates: (Judged | Candidate)[] = [
    ...judged,
    ...unsettled.filter((one) => isOf(judged, one)),
  ].toSorted((a, b) => a.number - b.number)
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

function doubtsAbout({ operation, path, entry }: Candidate): string[] {
  return maySet(operation, path, entry.lacksRequestBody ? undefined : asObject(jsonOf(entry.requestBody)))
}

function exchangeOf({ number, entry, operation, path, url, credentials }: Judged, at: Instant): Exchange {
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
