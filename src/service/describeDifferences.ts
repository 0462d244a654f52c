import { isObject } from '../world/mergePatch.ts'
import type { WorldChange } from '../world/World.ts'

/** A change of a client to a record, the balance or a file. */
export interface ShownChange {
  /** `reseller: service 5001`, `reseller: new service`, `reseller:` for the balance, `file orders.json` */
  subject: string
  /** Id of a record */
  id?: string | undefined
  isNew: boolean
  fields: readonly (readonly [name: string, value: string])[]
}

/** The changes that a run lacks, and those that it made instead or in addition. */
export interface ShownDifferences {
  missing: readonly ShownChange[]
  added: readonly ShownChange[]
}

/**
 * Says how a run's changes differ from those that were expected: `the IP list of service 5104 was not updated`, `one service too many
 * was ordered`. One clause for each difference, the most serious first.
 */
export function describeDifferences({ missing, added }: ShownDifferences): string[] {
  const records = pairNewRecords(missing, added)
  const orders = countRecords('service', records)
  const nouns = new Set([...records.missing, ...records.added].map(nounOf))
  nouns.delete('service')
  if (orders.length > 0) nouns.delete('invoice') // an order explains its invoice and what it costs
  const others = [...nouns].flatMap((noun) => countRecords(noun, records))
  const [missingFiles, missingFields] = partition(missing, isFile)
  const [addedFiles, addedFields] = partition(added, isFile)
  const changes = [...records.pairs, ...pairFields(missingFields, addedFields)].flatMap(describeFields)
  const [credits, fields] = partition(changes, ({ field }) => field === 'credit')
  const files = mergeFiles(missingFiles).map((file) => describeFile(file, mergeFiles(addedFiles)))
  const texts = [...orders, ...others, ...fields.map(({ text }) => text), ...files]
  return [...new Set(texts.length > 0 ? texts : credits.map(({ text }) => text))]
}

/** `ordered and billed`; `ordered` if the orders in these changes cost nothing. */
export function describeOrdering(changes: readonly (WorldChange | undefined)[]): string {
  const invoices = changes.flatMap((change) => Object.values(change?.invoices ?? {}))
  return invoices.some((invoice) => (invoice?.amount ?? 0) > 0) ? 'ordered and billed' : 'ordered'
}

/** The records that a change adds and bills: `service 5104`, `invoice 9010` */
export function createdRecords({ services, invoices }: WorldChange): string[] {
  return [
    ...Object.keys(services ?? {}).map((id) => `service ${id}`),
    ...Object.keys(invoices ?? {}).map((id) => `invoice ${id}`),
  ]
}

/** Whether a change was an order, which adds a service. @param before the patch that undoes it */
export function addsRecords(before: unknown): boolean {
  return isObject(before) && isObject(before['services']) && Object.values(before['services']).includes(null)
}

/** The number of new records by noun. */
export function countNewRecords(changes: readonly ShownChange[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const change of changes)
    if (change.isNew) counts.set(nounOf(change), (counts.get(nounOf(change)) ?? 0) + 1)
  return counts
}

/** `two services`, `one service` */
export function countOf(count: number, noun: string): string {
  const names = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
  return `${names[count] ?? count}${noun && ` ${noun}${count === 1 ? '' : 's'}`}`
}

interface Pair {
  /** `service 5104`, `invoice 9010`; empty for the balance */
  name: string
  expected: ReadonlyMap<string, string>
  got: ReadonlyMap<string, string>
}

interface NewRecords {
  pairs: Pair[]
  missing: ShownChange[]
  added: ShownChange[]
}

/** Pairs each missing new record with the most similar added one; they differ only in some fields. */
function pairNewRecords(missing: readonly ShownChange[], added: readonly ShownChange[]): NewRecords {
  const left = added.filter(({ isNew }) => isNew)
  const pairs: Pair[] = []
  const unpaired = missing.filter((one) => {
    if (!one.isNew) return false
    const similarity = ({ fields }: ShownChange): number => {
      const values = new Map(fields)
      return one.fields.filter(([name, value]) => values.get(name) === value).length
    }
    const candidates = left.filter(({ subject }) => subject === one.subject)
    const [other] = candidates.toSorted((a, b) => similarity(b) - similarity(a))
    if (!other) return true
    left.splice(left.indexOf(other), 1)
    const name = other.id === undefined ? `the new ${nounOf(other)}` : `${nounOf(other)} ${other.id}`
    pairs.push({ name, expected: new Map(one.fields), got: new Map(other.fields) })
    return false
  })
  return { pairs, missing: unpaired, added: left }
}

/** `service` */
function nounOf({ subject }: ShownChange): string {
  return nameOf(subject).replace(/^new /, '').replace(/ \d+$/, '')
}

/** `service 5001` of `reseller: service 5001` */
function nameOf(subject: string): string {
  return subject.slice(subject.indexOf(':') + 1).trim()
}

function countRecords(noun: string, { missing, added }: NewRecords): string[] {
  const verb = noun === 'service' ? 'ordered' : 'added'
  const [less, more] = [missing, added].map((all) => all.filter((one) => nounOf(one) === noun).length)
  if (!less && !more) return []
  if (more && !less) return [`${countOf(more, noun)} too many ${more === 1 ? 'was' : 'were'} ${verb}`]
  if (less && !more) return [`${countOf(less, noun)} ${less === 1 ? 'was' : 'were'} not ${verb}`]
  return [`other ${noun}s were ${verb}`]
}

function isFile({ subject }: ShownChange): boolean {
  return subject.startsWith('file ')
}

/** The fields of existing records and balances, by subject. */
function pairFields(missing: readonly ShownChange[], added: readonly ShownChange[]): Pair[] {
  const existing = [...missing, ...added].filter(({ isNew }) => !isNew)
  const valuesIn = (all: readonly ShownChange[], subject: string) =>
    new Map(all.filter((one) => !one.isNew && one.subject === subject).flatMap(({ fields }) => fields))
  return [...new Set(existing.map(({ subject }) => subject))].map((subject) => ({
    name: nameOf(subject),
    expected: valuesIn(missing, subject),
    got: valuesIn(added, subject),
  }))
}

function describeFields({ name, expected, got }: Pair): { field: string; text: string }[] {
  const fields = [...new Set([...expected.keys(), ...got.keys()])].filter(
    (field) => expected.get(field) !== got.get(field),
  )
  // An update of the IP list explains that no address in it has a problem.
  const isExplained = (field: string): boolean =>
    fields.includes('IP list') && (field === 'errors' || field === 'inactive')
  return fields
    .filter((field) => !isExplained(field))
    .map((field) => ({ field, text: describeField(name, field, expected.get(field), got.get(field)) }))
}

function describeField(
  name: string,
  field: string,
  expected: string | undefined,
  got: string | undefined,
): string {
  const was = (thing: string, verb: string): string =>
    expected === undefined ? `${thing} was ${verb}` : `${thing} was not ${verb}`
  if (field === 'IP list') return was(`the IP list of ${name}`, 'updated')
  if (field === 'password')
    return expected !== undefined && got !== undefined
      ? `the password of ${name} was set to another value`
      : was(`the password of ${name}`, 'set')
  if (field === 'sticky sessions') return describeSessions(name, expected, got)
  if (field === 'bindedip' && got !== 'none')
    return got === undefined
      ? `${name} was not bound to ${expected}`
      : `${name} was bound to ${got}${expected === undefined ? '' : ` instead of ${expected}`}`
  const label = field === 'sticky ttl' ? 'TTL' : field
  const thing = name === '' ? `the ${label}` : `the ${label} of ${name}`
  if (got === undefined) return `${thing} was not changed to ${expected}`
  return expected === undefined
    ? `${thing} was changed to ${got}`
    : `${thing} is ${got} instead of ${expected}`
}

function describeSessions(name: string, expected = '', got = ''): string {
  if (got === 'none') return `the sessions of ${name} were reset`
  if (expected === 'none') return `the sessions of ${name} were not reset`
  const [wanted, rotated] = [expected, got].map((value) => value.split('renewed').length - 1) as [
    number,
    number,
  ]
  if (wanted === rotated && expected && got) return `the sessions of ${name} were changed in another way`
  if (wanted === rotated) return `the sessions of ${name} were ${got ? '' : 'not '}changed`
  const count = Math.abs(wanted - rotated)
  const verb = `${count === 1 ? 'was' : 'were'} ${wanted > rotated ? 'not ' : ''}rotated`
  return `${countOf(count, 'session')} of ${name} ${verb}`
}

/** The field of a file that has a value for each new record whose id is in the file: 1, 2… */
export const idField = 'new record'

/** The subject of the ids in all files together */
export const allFiles = 'file *'

const maxValue = 60

/** Stands for an id, address or time in a file */
const putAside = '…'

/** One change a file, with all its fields. */
function mergeFiles(files: readonly ShownChange[]): ShownChange[] {
  return [...new Set(files.map(({ subject }) => subject))].map((subject) => ({
    subject,
    isNew: false,
    fields: files.filter((one) => one.subject === subject).flatMap(({ fields }) => fields),
  }))
}

/** A file has several fields of the same name: its lines, and the values in JSON lists. */
function describeFile({ subject: name, fields }: ShownChange, added: readonly ShownChange[]): string {
  const has = (field: string): boolean => fields.some(([one]) => one === field)
  if (has('exists')) return `the ${name} was not written`
  if (has(idField))
    return `the ${name === allFiles ? 'files name' : `${name} names`} the same id for two records`
  const [[field, value] = ['', '']] = fields
  const more = fields.length > 1 ? ` and ${fields.length - 1} more` : ''
  const other = added.find(({ subject }) => subject === name)?.fields.find(([one]) => one === field)
  if (other && field === 'line')
    return `the ${name} has ${quote(other[1])} instead of ${quote(value)}${more && `,${more}`}`
  if (other)
    return `in the ${name}, ${field} is ${shorten(other[1])} instead of ${shorten(value)}${more && `,${more}`}`
  return `the ${name} lacks ${quote(field === 'line' ? value : `${field}: ${value}`)}${more}`
}

function quote(text: string): string {
  return text === putAside ? shorten(text) : JSON.stringify(shorten(text))
}

function shorten(text: string): string {
  if (text === putAside) return 'a new id, address or time'
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
