import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import type { Calibration } from './Calibration.ts'
import { type Call, callIn } from './callIn.ts'
import { countBy } from './countBy.ts'
import type { Basic, Credentials, Exchange } from './Exchange.ts'
import { maxBody } from './bodies.ts'
import { readHar } from './readHar.ts'
import { caseOf } from './schemas.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'

export interface Recordings {
  /** The exchanges with this API. Secrets are replaced by placeholders */
  groups: Group[]
  skipped: Calibration['exchanges']['skipped']
  /** Number of entries in all files */
  read: number
  /** Warnings for the user: several accounts, missing outcomes */
  notes: string[]
}

/**
 * Exchanges with the same account. Each file of `proxysim record` is its own group, because its placeholders are only valid
 * there; all files of other recorders form one group. A call with a possible unrecorded effect ends a group.
 */
export interface Group {
  /** Its files, and the number of its first exchange if other groups come before */
  name: string
  /** In chronological order */
  exchanges: Exchange[]
}

interface Source {
  name: string
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
  const known = new Map<string, Call>()
  for (const file of files) {
    const { entries, isOurs } = await readHar(file)
    const calls: Call[] = []
    for (const entry of entries) {
      const number = ++found.read
      const call = callIn(entry, number, contract, (name) => readBeside(file, name))
      const isAgain = typeof call !== 'string' && isKnown(call, known)
      const reason = typeof call === 'string' ? call : isAgain ? 'the same entry again' : call.flaw
      if (reason !== undefined) found.skipped.push({ exchange: number, reason })
      if (typeof call !== 'string' && !isAgain) calls.push(call)
    }
    setCredentials(calls)
    const others = isOurs ? undefined : sources.find((source) => !source.isOurs)
    if (others) {
      others.name += `, ${file}`
      others.calls.push(...calls)
    } else sources.push({ name: file, isOurs, calls })
  }
  for (const source of sources) {
    const { name, isOurs } = source
    if (!source.calls.some(isUsable)) continue
    const calls = ofOneAccount({ ...source, calls: ofOneHost(source, found) }, login, found)
    const redactor = new RecordingRedactor(keep)
    redactor.learn(source.calls.flatMap((call) => basicOf(call)?.secrets ?? []))
    const exchanges = inOrder(calls)
    // `proxysim record` has already inserted the placeholders.
    const shown = isOurs ? exchanges : redactor.exchanges(exchanges)
    const parts = partsOf(shown)
    if (parts.length > 1)
      found.notes.push(
        `${name}: ${parts.length} parts are judged by themselves. Between them are calls that may have changed something, and the recording does not show what.`,
      )
    found.groups.push(
      ...parts.map((part, i) => ({
        name: i === 0 ? name : `${name} from #${part[0]?.number}`,
        exchanges: part,
      })),
    )
  }
  if (found.groups.length === 0)
    throw new UserError(
      `There are no calls to this API that can be judged in ${files.join(', ')} (${counted(found.read, 'exchange')}${reasonsOf(found)}).`,
    )
  found.skipped.sort((a, b) => a.exchange - b.exchange)
  return found
}

/** `; skipped: 3 not this API, 1 answered from a cache` */
function reasonsOf({ skipped }: Recordings): string {
  const counts = countBy(skipped, ({ reason }) => reason).map(([reason, count]) => `${count} ${reason}`)
  return counts.length > 0 ? `; skipped: ${counts.join(', ')}` : ''
}

/**
 * Whether an entry with the same time, call and response was read before. Recorders spell one entry differently, and only one
 * of them may have kept the credentials.
 */
function isKnown(call: Call, known: Map<string, Call>): boolean {
  const { exchange, base, started } = call
  if (started === undefined) return false
  const { operation, request, response } = exchange
  const { status, body } = response
  const key = JSON.stringify([started, operation.method, base, request.url, request.body, status, body])
  const first = known.get(key)
  const [one, other] = [first && basicOf(first)?.key, basicOf(call)?.key]
  if (one !== undefined && other !== undefined && one !== other) return false
  if (first) first.credentials ??= call.credentials
  else known.set(key, call)
  return first !== undefined
}

/** A separate file of a body, in the folder of the archive or below. */
function readBeside(archive: string, name: string): Buffer | undefined {
  const folder = resolve(dirname(archive))
  const file = resolve(folder, name)
  if (!file.startsWith(folder + sep)) return undefined
  try {
    return statSync(file).size > maxBody ? undefined : readFileSync(file)
  } catch {
    return undefined
  }
}

function isUsable({ flaw }: Call): boolean {
  return flaw === undefined
}

/** If no entry of a file has credentials, the recorder omits them. They are then inferred from the responses. */
function setCredentials(calls: readonly Call[]): void {
  const areKept = calls.some((call) => call.credentials && isUsable(call))
  const isMalformed = ({ credentials }: Call): boolean =>
    credentials === 'malformed-header' || credentials === 'malformed-credentials'
  // If malformed credentials were accepted, a tool has hidden all of them.
  const areMasked = calls.some((call) => isMalformed(call) && isAccepted(call))
  for (const call of calls) {
    const { credentials, exchange } = call
    if (typeof credentials === 'object') continue
    const isHidden = credentials === undefined ? !areKept : credentials === 'hidden'
    exchange.request.credentials =
      isHidden || (areMasked && isMalformed(call))
        ? credentialsShownBy(exchange)
        : ((credentials ?? 'none') as Credentials)
  }
}

function credentialsShownBy({ operation, response }: Exchange): Credentials {
  if (response.status === 401) return 'none'
  const name = response.status === 400 ? caseOf(operation, response)?.name : undefined
  if (name === 'invalid-authorization-header') return 'malformed-header'
  return name === 'invalid-credentials-format' ? 'malformed-credentials' : 'valid'
}

function basicOf({ credentials }: Call): Basic | undefined {
  return typeof credentials === 'object' ? credentials : undefined
}

/** Only the host with the most calls is judged. */
function ofOneHost({ calls }: Source, { skipped }: Recordings): Call[] {
  const named = calls.filter((call) => isUsable(call) && call.base !== '')
  const [[most] = []] = countBy(named, ({ base }) => base)
  return calls.filter((call) => {
    const isOther = call.base !== '' && call.base !== most
    if (isOther && isUsable(call)) skipped.push({ exchange: call.exchange.number, reason: 'to another host' })
    return !isOther
  })
}

/** Only the account with the most calls is judged, unless `wanted` selects another. Logins are private, so accounts are numbered. */
function ofOneAccount(
  { name, calls }: Source,
  wanted: string | undefined,
  { notes, skipped }: Recordings,
): Call[] {
  const accepted = calls.filter(isAccepted).flatMap((call) => basicOf(call) ?? [])
  const logins = [...new Set(accepted.map(({ login }) => login))]
  const nameOf = (login: string): string =>
    /^account-\d+$/.test(login) ? login : `account-${logins.indexOf(login) + 1}`
  const counts = countBy(accepted, ({ login }) => login)
  const chosen = logins.find((login) => login === wanted || nameOf(login) === wanted)
  if (wanted !== undefined && chosen === undefined)
    throw new UserError(
      `The recording has no account with the login that --account names. It has: ${logins.map(nameOf).join(', ') || 'none'}.`,
    )
  const judged = chosen ?? counts[0]?.[0] ?? ''
  if (chosen === undefined && counts.length > 1) {
    const shown = counts.map(([login, count]) => `${nameOf(login)} with ${count} calls`).join(', ')
    notes.push(
      `${name} has ${counts.length} accounts (${shown}); ${nameOf(judged)} is judged. --account picks another.`,
    )
  }
  const good = new Set(accepted.map(({ key }) => key))
  return calls.filter((call) => {
    const basic = basicOf(call)
    if (basic) call.exchange.request.credentials = good.has(basic.key) ? 'valid' : 'wrong'
    if (!basic || basic.login === judged || !logins.includes(basic.login)) return true
    if (isUsable(call))
      skipped.push({
        exchange: call.exchange.number,
        reason: `of another account (${nameOf(basic.login)})`,
      })
    return false
  })
}

function isAccepted(call: Call): boolean {
  return isUsable(call) && credentialsShownBy(call.exchange) === 'valid'
}

/**
 * Sorts calls by the recorder's clock, and assigns times of the service's clock. A call without a time stays in place. A call
 * that can't be judged may still have been executed.
 */
function inOrder(calls: readonly Call[]): Exchange[] {
  const exchanges: Exchange[] = []
  const started = calls.map((call) => call.started)
  // The service's clock may differ from the recorder's, so its dates give places only where there is nothing else.
  const times = started.some((time) => time !== undefined) ? started : calls.map(({ date }) => date)
  const first = times.find((time) => time !== undefined)
  const isTimeless = first === undefined
  let place = first ?? 0
  const placed = calls.map((call, i) => ({ call, place: (place = times[i] ?? place) }))
  let isAfterLoss = false
  for (const { call, place: recorded } of placed.toSorted((a, b) => a.place - b.place)) {
    const { exchange } = call
    const { status } = exchange.response
    const at = call.date ?? call.started ?? (isTimeless ? 0 : recorded)
    if (isUsable(call)) {
      exchanges.push({ ...exchange, at, isTimeless, isAfterLoss })
      isAfterLoss = false
    }
    if (exchange.operation.changesState && (status >= 500 || (!isUsable(call) && status < 300)))
      isAfterLoss = true
  }
  return exchanges
}

/** A call that may have been carried out without telling leaves nothing known: what follows is judged by itself. */
function partsOf(exchanges: readonly Exchange[]): Exchange[][] {
  const starts = exchanges.flatMap(({ isAfterLoss }, i) => (i === 0 || isAfterLoss ? i : []))
  return starts.map((start, i) => exchanges.slice(start, starts[i + 1]))
}
