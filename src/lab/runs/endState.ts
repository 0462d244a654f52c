import { allFiles, idField } from '../simulator.ts'
import type { Effect } from './ClientChanges.ts'

/** The result of a run, as far as responses and files show it. */
export interface EndFacts {
  /** The client's changes to the accounts */
  effects: readonly Effect[]
  /** The lines of its files, one effect a file */
  files: readonly Effect[]
}

/**
 * What differs between runs without faults, which isn't judged: a field, `reseller: service 5001 bindedip`; new records,
 * `reseller: new service`; or a field that only one of the runs sets, of any record, `reseller: service # bindedip`.
 */
type Varying = ReadonlySet<string>

/** The effects of the runs without faults. */
export interface Usual {
  /** The first run */
  facts: EndFacts
  varying: Varying
  /** Maximum number of records that a run adds, by subject; all records together under the empty subject */
  additions: ReadonlyMap<string, number>
}

/** The differences between a run and the runs without faults. */
export interface Differences {
  missing: readonly Effect[]
  added: readonly Effect[]
}

/** @param runs the runs without faults; the first one is the reference */
export function findUsual(runs: readonly [EndFacts, ...EndFacts[]]): Usual {
  const [first, ...others] = runs
  const varying = new Set<string>()
  for (const other of others)
    for (const part of ['effects', 'files'] as const)
      for (const path of listDifferences(first[part], other[part])) varying.add(path)
  const additions = new Map<string, number>()
  for (const { effects } of runs)
    for (const [subject, count] of countAdditions(effects))
      additions.set(subject, Math.max(count, additions.get(subject) ?? 0))
  return { facts: first, varying, additions }
}

/** Compares a run with the usual one. Of its files, only what is missing or changed counts, so what is added is only shown where it replaces something. */
export function compareFacts(facts: EndFacts, { facts: usual, varying }: Usual): Differences {
  const account = compare(usual.effects, facts.effects, varying)
  const { missing, added } = compare(usual.files, facts.files, varying)
  const isSame = (one: Effect, other: Effect): boolean =>
    one.subject === other.subject && one.fields[0]?.[0] === other.fields[0]?.[0]
  // Nothing shows which of several values became which.
  const isChanged = (field: Effect): boolean =>
    [missing, added].every((all) => all.filter((one) => isSame(one, field)).length === 1)
  // Fewer ids are no news where other content is missing, nor in all files where one file has fewer.
  const content = missing.filter(({ fields }) => fields.every(([name]) => name !== idField))
  const ids = missing.filter(({ subject }) => subject !== allFiles)
  const shown = [content, ids].find(({ length }) => length > 0) ?? missing
  return {
    missing: [...account.missing, ...shown],
    added: [...account.added, ...added.filter(isChanged)],
  }
}

/**
 * Whether a client added more records than usual. A new record may lack some of the usual fields, because the call that sets
 * them may be missing.
 */
export function addsMore({ effects }: EndFacts, { facts: usual, varying, additions }: Usual): boolean {
  const { missing, added } = compare(usual.effects, effects, varying)
  const left = missing.filter(({ isNew }) => isNew)
  // The most complete records are matched first, so that an incomplete one doesn't take their only match.
  const records = added.filter(({ isNew }) => isNew).toSorted((a, b) => b.fields.length - a.fields.length)
  const isMore = records.some((record) => {
    const index = left.findIndex((one) => one.subject === record.subject && includesFields(one, record))
    left.splice(index, index < 0 ? 0 : 1)
    return index < 0
  })
  return (
    isMore ||
    [...countAdditions(effects)].some(
      ([subject, count]) => varying.has(subject) && count > (additions.get(subject) ?? 0),
    )
  )
}

/** Whether a client added more records than any run without faults. */
export function hasMoreRecords({ effects }: EndFacts, { additions }: Usual): boolean {
  return (countAdditions(effects).get('') ?? 0) > (additions.get('') ?? 0)
}

/** Whether runs without faults add different numbers of records, so that the number proves nothing. */
export function variesInNumber({ varying, additions }: Usual): boolean {
  return [...additions.keys()].some((subject) => varying.has(subject))
}

/** Describes the differences between runs without faults: `reseller: service 5001 bindedip` */
export function listVarying({ varying }: Usual): string[] {
  return [...varying].filter(
    (path) => !path.includes('#') && ![...varying].some((one) => path.startsWith(`${one} `)),
  )
}

function countAdditions(effects: readonly Effect[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { subject, isNew } of effects)
    if (isNew) for (const key of ['', subject]) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function includesFields(one: Effect, { fields }: Effect): boolean {
  const values = new Map(one.fields)
  return fields.every(([name, value]) => values.get(name) === value)
}

function compare(usual: readonly Effect[], effects: readonly Effect[], varying: Varying): Differences {
  const missing = splitChanges(usual, varying)
  const added = splitChanges(effects, varying).filter((change) => {
    const index = missing.findIndex((one) => changeText(one) === changeText(change))
    missing.splice(index, index < 0 ? 0 : 1)
    return index < 0
  })
  return { missing, added }
}

/** Splits effects into changes: a new record is one change, and so is each field of anything else. Leaves out what varies. */
function splitChanges(effects: readonly Effect[], varying: Varying): Effect[] {
  return effects.flatMap((effect) => {
    const fields = effect.fields.filter(([name]) => !isVarying(`${effect.subject} ${name}`, varying))
    if (varying.has(effect.subject)) return []
    return effect.isNew ? [{ ...effect, fields }] : fields.map((field) => ({ ...effect, fields: [field] }))
  })
}

function isVarying(path: string, varying: Varying): boolean {
  return varying.has(path) || varying.has(generalize(path))
}

/** Lists what differs between two runs without faults. */
function listDifferences(first: readonly Effect[], other: readonly Effect[]): Set<string> {
  const paths = new Set<string>()
  const [before, after] = [valuesByPath(first), valuesByPath(other)]
  for (const path of [...before.keys(), ...after.keys()]) {
    if (before.get(path) === after.get(path)) continue
    paths.add(path)
    if (!before.has(path) || !after.has(path)) paths.add(generalize(path))
  }
  // The fields of new records may be combined in another way.
  const { missing, added } = compare(first, other, paths)
  for (const { subject } of [...missing, ...added]) paths.add(subject)
  return paths
}

/** The values of each field, and the number of new records of each kind. */
function valuesByPath(effects: readonly Effect[]): Map<string, string> {
  const values = new Map<string, string[]>()
  const add = (path: string, value: string): void =>
    void values.set(path, [...(values.get(path) ?? []), value])
  for (const { subject, isNew, fields } of effects) {
    if (isNew) add(subject, 'new')
    for (const [name, value] of fields) add(`${subject} ${name}`, value)
  }
  return new Map([...values].map(([path, all]) => [path, all.toSorted().join('\n')]))
}

/** `reseller: service # bindedip` */
function generalize(path: string): string {
  return path.replaceAll(/\d+/g, '#')
}

function changeText({ subject, fields }: Effect): string {
  return [subject, ...fields.map((field) => field.join(' ')).toSorted()].join('\n')
}
