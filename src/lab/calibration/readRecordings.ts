import { getValidator, type Validator } from '../../contract/validator/createValidator.ts'
import { asObject, type Contract } from '../../contract/Contract.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Calibration } from './Calibration.ts'
import { checkResponse, type CheckedResponse, readNumbers } from './checkResponse.ts'
import { type RecordedCall, parseCall } from './parseCall.ts'
import { readParts } from './parts.ts'
import { countBy } from '../../lib/groups.ts'
import type { Exchange } from './Exchange.ts'
import type { BasicCredentials, Credentials, RecordedExchange } from './RecordedExchange.ts'
import { readHar } from './readHar.ts'
import { findCase } from './schemas.ts'
import { RecordingRedactor } from './RecordingRedactor.ts'

export interface Recordings {
  /** The exchanges with this API, with placeholders instead of secrets */
  groups: Group[]
  skipped: Calibration['exchanges']['skipped']
  /** Number of entries in all files */
  read: number
  /** Warnings for the user: a file is judged in several groups */
  notes: string[]
}

/**
 * A series of exchanges for one account, starting from one state. A call that may have made an unseen change ends a group. Each
 * file of `proxysim record` has its own groups, because its placeholders are only valid there; files of other recorders are
 * read as one.
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

interface Choice {
  /** The account to judge: its login, or a placeholder such as `account-2` */
  account?: string | undefined
  /** The host to judge, such as `https://real.example` */
  host?: string | undefined
  /** Fields whose values are shown */
  keep?: readonly string[]
}

/** Reads the calls to this API from HAR files. @throws UserError */
export async function readRecordings(
  files: readonly string[],
  contract: Contract,
  { account, host, keep = [] }: Choice = {},
): Promise<Recordings> {
  const found: Recordings = { groups: [], skipped: [], read: 0, notes: [] }
  const validator = await getValidator(contract)
  for (const source of await readSources(files, contract, found)) {
    const { name, isAnonymized } = source
    if (!source.calls.some(isUsable)) continue
    const calls = selectAccount({ ...source, calls: selectHost(source, host, found) }, account, found)
    const redactor = new RecordingRedactor(keep)
    // `proxysim record` has already inserted the placeholders.
    const toShown = (exchange: RecordedExchange): RecordedExchange =>
      isAnonymized ? exchange : redactor.redact(exchange)
    const sorted = calls
      .toSorted((a, b) => a.started - b.started)
      .map(({ exchange, skipReason }) => ({
        exchange: toShown(exchange),
        isUsable: skipReason === undefined,
      }))
    const groups = groupCalls(sorted, validator)
    if (groups.length > 1)
      found.notes.push(
        `${name} is judged in ${groups.length} groups, because calls between them may have made changes that it doesn't show.`,
      )
    found.groups.push(
      ...groups.map((exchanges, i) => ({
        name: i === 0 ? name : `${name} from #${exchanges[0]?.number}`,
        exchanges,
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

/** Reads the calls of each file. Files of other recorders are one source. */
async function readSources(
  files: readonly string[],
  contract: Contract,
  found: Recordings,
): Promise<Source[]> {
  const sources: Source[] = []
  const known = new Set<string>()
  for (const file of files) {
    const { entries, isAnonymized } = await readHar(file)
    const calls: RecordedCall[] = []
    for (const [i, entry] of entries.entries()) {
      const number = ++found.read
      const call = parseCall(entry, number, contract)
      if (typeof call === 'string') {
        found.skipped.push({ exchange: number, reason: call })
        continue
      }
      if (Number.isNaN(call.started))
        throw new UserError(`Entry ${i + 1} of ${file} has no time (\`startedDateTime\`).`, {
          advice: 'Record again with `proxysim record`.',
        })
      const isDuplicate = known.has(entryKey(call))
      known.add(entryKey(call))
      const reason = isDuplicate ? 'a duplicate entry' : call.skipReason
      if (reason !== undefined) found.skipped.push({ exchange: number, reason })
      if (!isDuplicate) calls.push(call)
    }
    setCredentials(calls)
    const otherFiles = isAnonymized ? undefined : sources.find((source) => !source.isAnonymized)
    if (otherFiles) {
      otherFiles.name += `, ${file}`
      otherFiles.calls.push(...calls)
    } else sources.push({ name: file, isAnonymized, calls })
  }
  return sources
}

/** `; skipped: not this API (3), answered from a cache (1)` */
function summarizeSkipped({ skipped }: Recordings): string {
  const counts = [...countBy(skipped, ({ reason }) => reason)].map(
    ([reason, count]) => `${reason} (${count})`,
  )
  return counts.length > 0 ? `; skipped: ${counts.join(', ')}` : ''
}

/** Equal for entries of the same call, which was exported twice. */
function entryKey({ exchange, base, started }: RecordedCall): string {
  const { operation, request, response } = exchange
  const { status, body } = response
  return JSON.stringify([started, operation.method, base, request.url, request.body, status, body])
}

function isUsable({ skipReason }: RecordedCall): boolean {
  return skipReason === undefined
}

/** Sets the credentials of calls. They are inferred from the responses if the recorder omits them. */
function setCredentials(calls: readonly RecordedCall[]): void {
  const areRecorded = calls.some((call) => basicCredentials(call) && isUsable(call))
  for (const { credentials, exchange } of calls)
    if (credentials === undefined || credentials === 'none')
      exchange.request.credentials = credentials && areRecorded ? credentials : inferCredentials(exchange)
}

function inferCredentials({ operation, response }: RecordedExchange): Credentials {
  if (response.status === 401) return 'none'
  const name = response.status === 400 ? findCase(operation, response)?.name : undefined
  if (name === 'invalid-authorization-header') return 'malformed-header'
  return name === 'invalid-credentials-format' ? 'malformed-credentials' : 'valid'
}

function basicCredentials({ credentials }: RecordedCall): BasicCredentials | undefined {
  return typeof credentials === 'object' ? credentials : undefined
}

/** Selects the calls to one host. @throws UserError if there are several, and none is chosen */
function selectHost({ name, calls }: Source, host: string | undefined, found: Recordings): RecordedCall[] {
  const bases = [...new Set(calls.filter(isUsable).flatMap(({ base }) => base || []))]
  const chosen = host === undefined ? bases : bases.filter((base) => base === host || hostOf(base) === host)
  if (bases.length > 0 && chosen.length !== 1)
    throw new UserError(
      `${name} has calls to ${counted(bases.length, 'host')} with this API: ${bases.join(', ')}.`,
      { advice: 'Choose one with --host.' },
    )
  return selectCalls(calls, ({ base }) => base === '' || base === chosen[0], 'a call to another host', found)
}

function hostOf(base: string): string {
  return URL.canParse(base) ? new URL(base).host : base
}

function selectCalls(
  calls: readonly RecordedCall[],
  isSelected: (call: RecordedCall) => boolean,
  reason: string,
  { skipped }: Recordings,
): RecordedCall[] {
  for (const call of calls)
    if (!isSelected(call) && isUsable(call)) skipped.push({ exchange: call.exchange.number, reason })
  return calls.filter(isSelected)
}

/** Selects the calls of one account. Logins are private, so accounts are numbered. @throws UserError */
function selectAccount(
  { name, calls }: Source,
  account: string | undefined,
  found: Recordings,
): RecordedCall[] {
  const accepted = calls.filter(isAccepted).flatMap((call) => basicCredentials(call) ?? [])
  const logins = [...new Set(accepted.map(({ login }) => login))]
  const toName = (login: string): string =>
    /^account-\d+$/.test(login) ? login : `account-${logins.indexOf(login) + 1}`
  const chosen =
    account === undefined ? logins : logins.filter((login) => login === account || toName(login) === account)
  if (account !== undefined ? chosen.length !== 1 : chosen.length > 1) {
    const counts = [...countBy(accepted, ({ login }) => toName(login))]
    const list = counts.map(([one, count]) => `${one} with ${counted(count, 'call')}`).join(', ')
    throw new UserError(`${name} has calls of ${counted(logins.length, 'account')}: ${list || 'none'}.`, {
      advice: 'Choose one with --account.',
    })
  }
  const validKeys = new Set(accepted.map(({ key }) => key))
  for (const call of calls) {
    const basic = basicCredentials(call)
    if (basic) call.exchange.request.credentials = validKeys.has(basic.key) ? 'valid' : 'wrong'
  }
  const isSelected = (call: RecordedCall): boolean => {
    const { login = '' } = basicCredentials(call) ?? {}
    return login === (chosen[0] ?? '') || !logins.includes(login)
  }
  return selectCalls(calls, isSelected, 'a call of another account', found)
}

function isAccepted(call: RecordedCall): boolean {
  return isUsable(call) && inferCredentials(call.exchange) === 'valid'
}

/**
 * Checks the exchanges, and splits them after calls that may have made changes which no response shows: the state is unknown
 * from there on.
 */
function groupCalls(
  calls: readonly { exchange: RecordedExchange; isUsable: boolean }[],
  validator: Validator,
): Exchange[][] {
  const groups: Exchange[][] = [[]]
  for (const { exchange, isUsable: isRead } of calls) {
    const { operation, response } = exchange
    const checked = checkResponse(operation, response, validator)
    const group = groups.at(-1) as Exchange[]
    if (isRead) group.push(toExchange(exchange, checked))
    const isSeen = isRead && checked.body !== undefined
    const mayHaveChanged = response.status >= 500 || (response.status < 300 && !isSeen)
    if (operation.changesState && mayHaveChanged && group.length > 0) groups.push([])
  }
  return groups.filter((group) => group.length > 0)
}

/** Adds what replays need to know of an exchange. */
function toExchange(exchange: RecordedExchange, checked: CheckedResponse): Exchange {
  const { operation, path, request, response, at } = exchange
  const { status } = response
  const call = {
    operationId: operation.operationId,
    path,
    requestBody: asObject(request.value),
    status,
    body: checked.body && readNumbers(checked.body.value, checked.body.schemas),
    refusal: status >= 400 ? findCase(operation, response) : undefined,
    at,
  }
  return { ...exchange, checked, call, parts: readParts(exchange, response, checked.body) }
}
