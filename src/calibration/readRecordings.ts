import type { Contract, ContractOperation } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'
import { redacted } from '../journal/redaction/redacted.ts'
import type { Instant } from '../world/time.ts'
import type { Calibration } from './Calibration.ts'
import { countBy } from './countBy.ts'
import { basicOf, jsonOf, mediaOf, type Answer, type Credentials, type Exchange } from './Exchange.ts'
import { placeOf } from './placeOf.ts'
import { readHar, type HarEntry } from './readHar.ts'

/** An exchange that is not judged. */
type Skipped = Calibration['exchanges']['skipped'][number]

export interface Recordings {
  /** In chronological order */
  exchanges: Exchange[]
  skipped: Skipped[]
  /** Number of entries in all files */
  read: number
  /** What the user should know: several accounts, hosts or recordings */
  notes: string[]
  /** Every value is a stand-in already, as our own recorder made the file */
  isRedacted: boolean
  /** Values that were sent as credentials; they must not be shown */
  secrets: string[]
}

/** An entry that is a call to this API. */
interface Candidate {
  number: number
  /** The file, if our own recorder made it; '' for any other */
  archive: string
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
  let read = 0
  for (const file of files) {
    const har = await readHar(file)
    const archive = har.isOurs ? file : ''
    const found: Candidate[] = []
    for (const entry of har.entries) {
      const candidate = candidateOf(entry, ++read, archive, contract)
      if (typeof candidate === 'string') skipped.push({ exchange: read, reason: candidate })
      else found.push(candidate)
    }
    for (const one of ofOneHost(withCredentials(found), file, skipped, notes)) candidates.push(one)
  }
  if (candidates.length === 0)
    throw new UserError(
      `There are no calls to this API in ${files.join(', ')} (${read} ${read === 1 ? 'entry' : 'entries'} read).`,
    )
  const comparable = ofOneArchive(candidates, skipped, notes)
  const kept = ofOneAccount(comparable, login, skipped, notes)
  return {
    exchanges: inOrder(kept),
    skipped: skipped.toSorted((a, b) => a.exchange - b.exchange),
    read,
    notes,
    isRedacted: comparable.every(({ archive }) => archive !== ''),
    secrets: [
      ...new Set(
        candidates.flatMap(({ presented }) => (presented.kind === 'basic' ? presented.secrets : [])),
      ),
    ],
  }
}

function candidateOf(
  entry: HarEntry,
  number: number,
  archive: string,
  contract: Contract,
): Candidate | string {
  const { method, status, body } = entry
  if (!URL.canParse(entry.url)) return 'no URL'
  const url = new URL(entry.url)
  if (method === 'OPTIONS') return 'a CORS preflight'
  const place = placeOf(url.pathname, method, contract)
  if (place === undefined) return 'not this API'
  if (typeof place === 'string') return place
  if (status === 0) return 'no response was recorded'
  if (status === 304) return 'answered from a cache'
  if (body === undefined) return 'the recorder did not keep the response body'
  const { operation, path, start } = place
  return {
    number,
    archive,
    entry,
    operation,
    path,
    url: url.pathname.slice(start) + url.search,
    base: url.origin + url.pathname.slice(0, start),
    presented: presentedBy(entry),
  }
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

/**
 * Each run of our recorder counts its stand-ins on its own: `account-1` and `user1` of two archives may be the same
 * or not. Other recorders' files show the values themselves, so that they are one recording.
 */
function ofOneArchive(
  found: readonly Candidate[],
  skipped: Skipped[],
  notes: string[],
): readonly Candidate[] {
  const counts = countBy(found, ({ archive }) => archive)
  const [[judged, calls] = ['', 0]] = counts
  if (counts.length === 1) return found
  notes.push(
    `${counts.length} recordings can't be judged together, as each has its own stand-ins; ${judged === '' ? 'that of other recorders' : judged}, with the most calls, is judged (${calls} of ${found.length} calls). Run calibrate on each of the others.`,
  )
  return found.filter(({ archive, number }) => {
    if (archive !== judged) skipped.push({ exchange: number, reason: 'of another recording' })
    return archive === judged
  })
}

function isAboutCredentials({ entry: { status, body = '' } }: Candidate): boolean {
  return (
    status === 401 ||
    (status === 400 && /^Invalid (?:Authorization header|credentials format)\s*$/.test(body))
  )
}

/** Accounts are told apart by login, but shown by number, as logins are private. */
function ofOneAccount(
  candidates: readonly Candidate[],
  wanted: string | undefined,
  skipped: Skipped[],
  notes: string[],
): (Candidate & { credentials: Credentials })[] {
  const good = new Set<string>()
  const accepted = candidates.filter((one) => one.presented.kind === 'basic' && !isAboutCredentials(one))
  for (const { presented } of accepted) if (presented.kind === 'basic') good.add(presented.key)
  const counts = countBy(accepted, ({ presented }) => (presented.kind === 'basic' ? presented.login : ''))
  const logins = [
    ...new Set(accepted.flatMap(({ presented }) => ('login' in presented ? [presented.login] : []))),
  ]
  const nameOf = (login: string): string =>
    /^account-\d+$/.test(login) ? login : `account-${logins.indexOf(login) + 1}`
  const names = logins.map(nameOf).join(', ')
  const judged =
    wanted === undefined ? counts[0]?.[0] : logins.find((one) => one === wanted || nameOf(one) === wanted)
  if (wanted !== undefined && judged === undefined)
    throw new UserError(
      `The recording has no account with the login that --login names. It has: ${names || 'none'}.`,
    )
  if (wanted === undefined && judged !== undefined && logins.length > 1)
    notes.push(
      `The recording has ${logins.length} accounts (${counts.map(([login, calls]) => `${nameOf(login)} with ${calls} calls`).join(', ')}); ${nameOf(judged)} is judged. --login picks another.`,
    )
  return candidates.flatMap((candidate) => {
    const { presented, number } = candidate
    if (presented.kind !== 'basic') return [{ ...candidate, credentials: credentialsOf(candidate) }]
    if (presented.login !== judged && logins.includes(presented.login)) {
      skipped.push({ exchange: number, reason: `of another account (${nameOf(presented.login)})` })
      return []
    }
    return [
      {
        ...candidate,
        credentials: { kind: good.has(presented.key) ? ('good' as const) : ('wrong' as const) },
      },
    ]
  })
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

/** Chronologically: by the service's clock if it was recorded, otherwise by the recorder's, adjusted to it. */
function inOrder(candidates: readonly (Candidate & { credentials: Credentials })[]): Exchange[] {
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
  return timed
    .toSorted((a, b) => a.order - b.order || a.candidate.number - b.candidate.number)
    .map(({ candidate, at }) => exchangeOf(candidate, at))
}

function exchangeOf(
  { number, entry, operation, path, url, credentials }: Candidate & { credentials: Credentials },
  at: Instant,
): Exchange {
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
