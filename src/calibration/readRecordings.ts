import type { Contract } from '../contract/Contract.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import type { Calibration } from './Calibration.ts'
import { type Call, callIn } from './callIn.ts'
import { countBy } from './countBy.ts'
import type { Basic, Credentials, Exchange, RecordedResponse } from './Exchange.ts'
import { readHar } from './readHar.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'

export interface Recordings {
  /** Those that have calls to this API; their exchanges have placeholders for secrets */
  groups: Group[]
  skipped: Calibration['exchanges']['skipped']
  /** Number of entries in all files */
  read: number
  /** What the user should know: several accounts, missing outcomes */
  notes: string[]
}

/**
 * Exchanges that show the same account. Each recording of `record` is a group of its own, as its placeholders mean
 * nothing elsewhere; the files of other recorders are one. A call that may have changed something unseen ends a group.
 */
export interface Group {
  /** Its files, and the number of its first exchange if they have others before */
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
    // Our own recorder has put in the placeholders already.
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
      `There are no calls to this API that can be judged in ${files.join(', ')} (${counted(found.read, 'exchange')}).`,
    )
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
    if (typeof credentials !== 'object')
      exchange.request.credentials =
        credentials && credentials !== 'hidden'
          ? credentials
          : areKept && !credentials
            ? 'none'
            : credentialsShownBy(exchange.response)
}

function credentialsShownBy({ status, body }: RecordedResponse): Credentials {
  if (status === 401) return 'none'
  if (status === 400 && body.startsWith('Invalid Authorization')) return 'malformed-header'
  if (status === 400 && body.startsWith('Invalid credentials')) return 'malformed-credentials'
  return 'valid'
}

function basicOf({ credentials }: Call): Basic | undefined {
  return typeof credentials === 'object' ? credentials : undefined
}

/** The host with the most calls is judged. */
function ofOneHost({ calls }: Source, { skipped }: Recordings): Call[] {
  const [[most] = []] = countBy(calls.filter(isUsable), ({ base }) => base)
  return calls.filter((call) => {
    if (call.base !== most && isUsable(call))
      skipped.push({ exchange: call.exchange.number, reason: 'to another host' })
    return call.base === most
  })
}

/** The account with the most calls is judged, unless `wanted` names another. Logins are private, so accounts are numbered. */
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
  return isUsable(call) && credentialsShownBy(call.exchange.response) === 'valid'
}

/**
 * Chronologically by the recorder's clock, with the times of the service's. A call that can't be judged may have been
 * carried out.
 */
function inOrder(calls: readonly Call[]): Exchange[] {
  const exchanges: Exchange[] = []
  let at = 0
  let isAfterLoss = false
  const timeOf = ({ started, date }: Call): number => started ?? date ?? 0
  for (const call of calls.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const { exchange } = call
    const { status } = exchange.response
    at = call.date ?? call.started ?? at
    if (isUsable(call)) {
      exchanges.push({ ...exchange, at, isAfterLoss })
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
