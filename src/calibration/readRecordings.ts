import { asObject, type Contract } from '../contract/Contract.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import type { Calibration } from './Calibration.ts'
import { type Call, callIn } from './callIn.ts'
import { countBy } from './countBy.ts'
import type { BasicCredentials, Credentials, Exchange, RecordedResponse } from './Exchange.ts'
import { maySet } from './observe.ts'
import { readHar } from './readHar.ts'
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

interface Source {
  files: string[]
  isOurs: boolean
  calls: Call[]
}

/** Reads the calls to this API from HAR files. @throws UserError */
export async function readRecordings(
  files: readonly string[],
  contract: Contract,
  { login, keep = [] }: { login?: string | undefined; keep?: readonly string[] } = {},
): Promise<Recordings> {
  const found: Recordings = { groups: [], skipped: [], read: 0, notes: [] }
  const sources: Source[] = []
  for (const file of files) {
    const { entries, isOurs } = await readHar(file)
    const calls: Call[] = []
    for (const entry of entries) {
      const number = ++found.read
      const call = callIn(entry, number, contract)
      const reason = typeof call === 'string' ? call : call.flaw
      if (reason !== undefined) found.skipped.push({ exchange: number, reason })
      if (typeof call !== 'string') calls.push(call)
    }
    found.notes.push(...clockNotes(file, calls))
    setCredentials(calls)
    const others = isOurs ? undefined : sources.find((source) => !source.isOurs)
    if (others) {
      others.files.push(file)
      others.calls.push(...calls)
    } else sources.push({ files: [file], isOurs, calls })
  }
  const usable = sources.filter(({ calls }) => calls.some(isUsable))
  if (usable.length === 0)
    throw new UserError(
      `There are no calls to this API in ${files.join(', ')} (${counted(found.read, 'exchange')}).`,
    )
  for (const source of usable) source.calls = ofOneHost(source, found)
  checkAccount(usable, login)
  for (const source of usable) {
    const exchanges = inOrder(ofOneAccount(source, login, found))
    const redactor = new RecordingRedactor(keep)
    redactor.learn(source.calls.flatMap((call) => basicOf(call)?.secrets ?? []))
    found.groups.push({
      name: source.files.join(', '),
      // Our own recorder has put in the placeholders already.
      exchanges: source.isOurs ? exchanges : redactor.exchanges(exchanges),
    })
  }
  found.skipped.sort((a, b) => a.exchange - b.exchange)
  return found
}

function isUsable({ flaw }: Call): boolean {
  return flaw === undefined
}

/** If no entry of a file has credentials, its recorder leaves them out: then the response says what was sent. */
function setCredentials(calls: readonly Call[]): void {
  const areKept = calls.some((call) => call.credentials && isUsable(call))
  for (const { credentials, exchange } of calls)
    exchange.request.credentials =
      credentials && credentials.form !== 'unknown'
        ? credentials
        : { form: areKept && !credentials ? 'none' : formShownBy(exchange.response) }
}

function formShownBy({ status, body }: RecordedResponse): Exclude<Credentials['form'], 'basic'> {
  if (status === 401) return 'none'
  if (status === 400 && body.startsWith('Invalid Authorization')) return 'malformed-header'
  if (status === 400 && body.startsWith('Invalid credentials')) return 'malformed-credentials'
  return 'unknown'
}

function basicOf({ exchange: { request } }: Call): BasicCredentials | undefined {
  return request.credentials.form === 'basic' ? request.credentials : undefined
}

function ofOneHost({ files, calls }: Source, { notes, skipped }: Recordings): Call[] {
  const kept = calls.filter(isUsable)
  const counts = countBy(kept, ({ base }) => base)
  const [[most, count] = []] = counts
  if (counts.length > 1)
    notes.push(
      `${files.join(', ')} has calls to ${counts.length} hosts; the one with the most is judged (${count} of ${kept.length} calls).`,
    )
  for (const { base, exchange } of kept)
    if (base !== most) skipped.push({ exchange: exchange.number, reason: 'to another host' })
  return calls.filter(({ base }) => base === most)
}

interface Account {
  login: string
  /** What it is shown as: logins are private */
  name: string
  calls: number
}

/** The accounts whose credentials were accepted. The one with the most calls is first. */
function accountsIn(calls: readonly Call[]): Account[] {
  const logins = calls.filter(isAccepted).map((call) => basicOf(call)?.login ?? '')
  const unique = [...new Set(logins)]
  return countBy(logins, (login) => login).map(([login, count]) => ({
    login,
    name: /^account-\d+$/.test(login) ? login : `account-${unique.indexOf(login) + 1}`,
    calls: count,
  }))
}

function isAccepted(call: Call): boolean {
  return isUsable(call) && basicOf(call) !== undefined && formShownBy(call.exchange.response) === 'unknown'
}

/** @throws UserError if no recording has an account of this login or name */
function checkAccount(sources: readonly Source[], wanted: string | undefined): void {
  const all = sources.flatMap(({ calls }) => accountsIn(calls))
  if (wanted === undefined || all.some(({ login, name }) => login === wanted || name === wanted)) return
  const names = [...new Set(all.map(({ name }) => name))].join(', ') || 'none'
  throw new UserError(`The recording has no account with the login that --account names. It has: ${names}.`)
}

/** The account with the most calls is judged, unless `wanted` names another. */
function ofOneAccount(
  { files, calls }: Source,
  wanted: string | undefined,
  { notes, skipped }: Recordings,
): Call[] {
  const accounts = accountsIn(calls)
  const named = accounts.find(({ login, name }) => login === wanted || name === wanted)
  const chosen = named ?? accounts[0]
  if (!named && accounts.length > 1) {
    const counts = accounts.map(({ name, calls: count }) => `${name} with ${count} calls`).join(', ')
    notes.push(
      `${files.join(', ')} has ${accounts.length} accounts (${counts}); ${chosen?.name} is judged. --account picks another.`,
    )
  }
  const good = new Set(calls.filter(isAccepted).map((call) => basicOf(call)?.key))
  return calls.filter((call) => {
    const basic = basicOf(call)
    const account = basic && accounts.find(({ login }) => login === basic.login)
    if (basic) basic.isGood = good.has(basic.key)
    if (!account || account === chosen) return true
    if (isUsable(call))
      skipped.push({ exchange: call.exchange.number, reason: `of another account (${account.name})` })
    return false
  })
}

/** What the user should know of clocks that disagree. */
function clockNotes(file: string, calls: readonly Call[]): string[] {
  const apart = calls
    .map(({ date, started }) => Math.abs((date ?? NaN) - (started ?? NaN)) / 60_000)
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
    .map(({ date, started }) => (date ?? NaN) - (started ?? NaN))
    .filter((lag) => !Number.isNaN(lag))
    .toSorted((a, b) => a - b)
  const lag = lags[Math.floor(lags.length / 2)] ?? 0
  let last = 0
  const timed = calls.map((call) => {
    const { date, started } = call
    last = date ?? (started === undefined ? last : started + lag)
    return { call, at: last, order: started ?? last - lag }
  })
  const exchanges: Exchange[] = []
  let uncertain: string[] = []
  for (const { call, at } of timed.toSorted((a, b) => a.order - b.order)) {
    const { exchange, lacksBody } = call
    const { operation, path, request, response } = exchange
    if (isUsable(call)) {
      exchanges.push({ ...exchange, at, ...(uncertain.length > 0 && { uncertain }) })
      uncertain = []
    }
    if (response.status < 500 && (isUsable(call) || response.status >= 300)) continue
    uncertain.push(...maySet(operation, path, lacksBody ? undefined : asObject(request.value)))
  }
  return exchanges
}
