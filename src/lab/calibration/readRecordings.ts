import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { asObject, type Contract, type ContractOperation } from '../../contract/Contract.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'
import { isId } from '../simulator.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Calibration } from './Calibration.ts'
import { type RecordedCall, parseCall } from './parseCall.ts'
import { countBy } from './countBy.ts'
import type { BasicCredentials, Credentials, Exchange, RecordedResponse } from './Exchange.ts'
import { BodyTooLongError, createBodyDecoder, maxBody } from './decodeBody.ts'
import { readHar } from './readHar.ts'
import { findCase, isMarked } from './schemas.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'

export interface Recordings {
  /** The exchanges with this API, with placeholders instead of secrets */
  groups: Group[]
  skipped: Calibration['exchanges']['skipped']
  /** Number of entries in all files */
  read: number
  /** Warnings for the user: a file has several accounts, or several groups */
  notes: string[]
}

/**
 * A series of exchanges for one account, starting from one state. A call that may have made an unrecorded change ends a
 * group. Each file of `proxysim record` has its own groups, because its placeholders are only valid there; files of other
 * recorders are read as one.
 */
export interface Group {
  /** The names of its files, and the number of its first exchange if other groups precede it */
  name: string
  /** In chronological order */
  exchanges: Exchange[]
}

interface Source {
  name: string
  isAnonymized: boolean
  calls: RecordedCall[]
}

/** Reads the calls to this API from HAR files. @throws UserError */
export async function readRecordings(
  files: readonly string[],
  contract: Contract,
  { login, keep = [] }: { login?: string | undefined; keep?: readonly string[] } = {},
): Promise<Recordings> {
  const found: Recordings = { groups: [], skipped: [], read: 0, notes: [] }
  const sources: Source[] = []
  const known = new Map<string, RecordedCall>()
  const decode = createBodyDecoder()
  for (const file of files) {
    const { entries, isAnonymized } = await readHar(file)
    const calls: RecordedCall[] = []
    for (const entry of entries) {
      const number = ++found.read
      const call = parseCall(entry, number, contract, (name) => readBodyFile(file, name), decode)
      const isDuplicate = typeof call !== 'string' && wasReadBefore(call, known)
      const reason = typeof call === 'string' ? call : isDuplicate ? 'a duplicate entry' : call.skipReason
      if (reason !== undefined) found.skipped.push({ exchange: number, reason })
      if (typeof call !== 'string' && !isDuplicate) calls.push(call)
    }
    setCredentials(calls)
    const otherFiles = isAnonymized ? undefined : sources.find((source) => !source.isAnonymized)
    if (otherFiles) {
      otherFiles.name += `, ${file}`
      otherFiles.calls.push(...calls)
    } else sources.push({ name: file, isAnonymized, calls })
  }
  for (const source of sources) {
    const { name, isAnonymized } = source
    if (!source.calls.some(isUsable)) continue
    const calls = selectAccount({ ...source, calls: selectHost(source, found) }, login, found)
    const redactor = new RecordingRedactor(keep)
    redactor.registerSecrets(source.calls.flatMap((call) => basicCredentials(call)?.secrets ?? []))
    const exchanges = sortCalls(calls)
    // `proxysim record` has already inserted the placeholders.
    const shown = isAnonymized ? exchanges : redactor.redactExchanges(exchanges)
    const groups = splitAtUnrecordedChanges(shown)
    if (groups.length > 1)
      found.notes.push(
        `${name} is judged in ${groups.length} groups, because calls between them may have made unrecorded changes.`,
      )
    found.groups.push(
      ...groups.map((group, i) => ({
        name: i === 0 ? name : `${name} from #${group[0]?.number}`,
        exchanges: group,
      })),
    )
  }
  if (found.groups.length === 0)
    throw new UserError(
      `No calls to this API can be judged in ${files.join(', ')} (${counted(found.read, 'exchange')}${summarizeSkipped(found)}).`,
      { advice: `Record some with \`proxysim record\`.` },
    )
  found.skipped.sort((a, b) => a.exchange - b.exchange)
  return found
}

/** `; skipped: not this API (3), answered from a cache (1)` */
function summarizeSkipped({ skipped }: Recordings): string {
  const counts = countBy(skipped, ({ reason }) => reason).map(([reason, count]) => `${reason} (${count})`)
  return counts.length > 0 ? `; skipped: ${counts.join(', ')}` : ''
}

/**
 * Registers a call. Returns whether a call with the same time, request and response was registered before. If only one of
 * the two has credentials, the registered call gets them.
 */
function wasReadBefore(call: RecordedCall, known: Map<string, RecordedCall>): boolean {
  const { exchange, base, started } = call
  if (started === undefined) return false
  const { operation, request, response } = exchange
  const { status, body } = response
  const key = JSON.stringify([started, operation.method, base, request.url, request.body, status, body])
  const first = known.get(key)
  const [firstKey, callKey] = [first && basicCredentials(first)?.key, basicCredentials(call)?.key]
  if (firstKey !== undefined && callKey !== undefined && firstKey !== callKey) return false
  if (first) first.credentials ??= call.credentials
  else known.set(key, call)
  return first !== undefined
}

/** Reads a body from a separate file, which must be in the folder of the archive or below. @throws BodyTooLongError */
function readBodyFile(archive: string, name: string): Buffer | undefined {
  const folder = resolve(dirname(archive))
  const file = resolve(folder, name)
  if (!file.startsWith(folder + sep)) return undefined
  try {
    if (statSync(file).size <= maxBody) return readFileSync(file)
  } catch {
    return undefined
  }
  throw new BodyTooLongError()
}

function isUsable({ skipReason }: RecordedCall): boolean {
  return skipReason === undefined
}

/** Sets the credentials of calls. They are inferred from the responses if the recorder omits or masks them. */
function setCredentials(calls: readonly RecordedCall[]): void {
  const areRecorded = calls.some((call) => call.credentials && isUsable(call))
  const isMalformed = ({ credentials }: RecordedCall): boolean =>
    credentials === 'malformed-header' || credentials === 'malformed-credentials'
  // If malformed credentials were accepted, a tool has masked all credentials.
  const areMasked = calls.some((call) => isMalformed(call) && isAccepted(call))
  for (const call of calls) {
    const { credentials, exchange } = call
    if (typeof credentials === 'object') continue
    const isHidden = credentials === undefined ? !areRecorded : credentials === 'hidden'
    exchange.request.credentials =
      isHidden || (areMasked && isMalformed(call))
        ? inferCredentials(exchange)
        : ((credentials ?? 'none') as Credentials)
  }
}

function inferCredentials({ operation, response }: Exchange): Credentials {
  if (response.status === 401) return 'none'
  const name = response.status === 400 ? findCase(operation, response)?.name : undefined
  if (name === 'invalid-authorization-header') return 'malformed-header'
  return name === 'invalid-credentials-format' ? 'malformed-credentials' : 'valid'
}

function basicCredentials({ credentials }: RecordedCall): BasicCredentials | undefined {
  return typeof credentials === 'object' ? credentials : undefined
}

/** Selects the calls to the host with the most calls. The others are skipped. */
function selectHost({ calls }: Source, { skipped }: Recordings): RecordedCall[] {
  const named = calls.filter((call) => isUsable(call) && call.base !== '')
  const [[most] = []] = countBy(named, ({ base }) => base)
  return calls.filter((call) => {
    const isOther = call.base !== '' && call.base !== most
    if (isOther && isUsable(call))
      skipped.push({ exchange: call.exchange.number, reason: 'a call to another host' })
    return !isOther
  })
}

/** Selects the calls of one account, by default the one with the most calls. Logins are private, so accounts are numbered. */
function selectAccount(
  { name, calls }: Source,
  account: string | undefined,
  { notes, skipped }: Recordings,
): RecordedCall[] {
  const accepted = calls.filter(isAccepted).flatMap((call) => basicCredentials(call) ?? [])
  const logins = [...new Set(accepted.map(({ login }) => login))]
  const toName = (login: string): string =>
    /^account-\d+$/.test(login) ? login : `account-${logins.indexOf(login) + 1}`
  const counts = countBy(accepted, ({ login }) => login)
  const chosen = logins.find((login) => login === account || toName(login) === account)
  if (account !== undefined && chosen === undefined)
    throw new UserError(
      `No account of the recording matches --account. Available: ${logins.map(toName).join(', ') || 'none'}.`,
    )
  const judgedLogin = chosen ?? counts[0]?.[0] ?? ''
  if (chosen === undefined && counts.length > 1) {
    const shown = counts.map(([login, count]) => `${toName(login)} with ${count} calls`).join(', ')
    notes.push(
      `${name} has ${counts.length} accounts (${shown}); only ${toName(judgedLogin)} is judged. Choose another with --account.`,
    )
  }
  const validKeys = new Set(accepted.map(({ key }) => key))
  return calls.filter((call) => {
    const basic = basicCredentials(call)
    if (basic) call.exchange.request.credentials = validKeys.has(basic.key) ? 'valid' : 'wrong'
    if (!basic || basic.login === judgedLogin || !logins.includes(basic.login)) return true
    if (isUsable(call))
      skipped.push({
        exchange: call.exchange.number,
        reason: `a call of another account (${toName(basic.login)})`,
      })
    return false
  })
}

function isAccepted(call: RecordedCall): boolean {
  return isUsable(call) && inferCredentials(call.exchange) === 'valid'
}

/**
 * Sorts calls by the recorder's clock, and sets their times by the service's clock. A call without a time keeps its position.
 * An exchange is marked if a call before it may have made an unrecorded change.
 */
function sortCalls(calls: readonly RecordedCall[]): Exchange[] {
  const exchanges: Exchange[] = []
  const started = calls.map((call) => call.started)
  // The service's clock may differ from the recorder's, so its dates only determine the order if there are no other times.
  const times = started.some((time) => time !== undefined) ? started : calls.map(({ date }) => date)
  const first = times.find((time) => time !== undefined)
  const isTimeless = first === undefined
  let sortTime = first ?? 0
  const timed = calls.map((call, i) => ({ call, sortTime: (sortTime = times[i] ?? sortTime) }))
  let mayFollowUnrecordedChange = false
  for (const { call, sortTime: recorded } of timed.toSorted((a, b) => a.sortTime - b.sortTime)) {
    const { exchange } = call
    const { operation, response } = exchange
    const { status } = response
    const at = call.date ?? call.started ?? (isTimeless ? 0 : recorded)
    if (isUsable(call)) {
      exchanges.push({ ...exchange, at, isTimeless, mayFollowUnrecordedChange })
      mayFollowUnrecordedChange = false
    }
    const isUnrecorded = !isUsable(call) || !showsNewIds(operation, response)
    if (operation.changesState && (status >= 500 || (isUnrecorded && status < 300)))
      mayFollowUnrecordedChange = true
  }
  return exchanges
}

/** Whether a response shows all ids that the service assigned to new records. */
function showsNewIds({ responses }: ContractOperation, { value }: RecordedResponse): boolean {
  const schemas = [responses[200]?.content?.['application/json'] ?? {}]
  const names = flattenSchemas(schemas).flatMap(({ properties }) => Object.keys(Object(properties)))
  const newIds = names.filter((name) => {
    const parts = schemasAt(schemas, name)
    return isMarked(parts, 'x-generated') && flattenSchemas(parts).some(({ type }) => type === 'integer')
  })
  return newIds.every((name) => isId(asObject(value)[name]))
}

/** Splits exchanges after calls that may have made unrecorded changes, because the state is unknown from there on. */
function splitAtUnrecordedChanges(exchanges: readonly Exchange[]): Exchange[][] {
  const starts = exchanges.flatMap(({ mayFollowUnrecordedChange }, i) =>
    i === 0 || mayFollowUnrecordedChange ? i : [],
  )
  return starts.map((start, i) => exchanges.slice(start, starts[i + 1]))
}
