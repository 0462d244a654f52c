import type { Effect } from './ClientChanges.ts'

/** The result of a run, as far as responses and files show it. */
export interface EndFacts {
  /** The client's changes to the accounts */
  effects: readonly Effect[]
  /** The lines of its files, one effect a file */
  files: readonly Effect[]
}

/** Differences between runs without faults, which aren't judged. */
interface Varying {
  /** Subjects of new records whose number varies: `reseller: new service` */
  subjects: Set<string>
  /** Fields whose value varies: `reseller: service 5001 bindedip` */
  fields: Set<string>
  /** Fields that only one of the runs sets, of any record: `reseller: service # bindedip` */
  kinds: Set<string>
}

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
  const varying: Varying = { subjects: new Set(), fields: new Set(), kinds: new Set() }
  for (const other of others)
    for (const part of ['effects', 'files'] as const) addVarying(varying, first[part], other[part])
  const additions = new Map<string, number>()
  for (const { effects } of runs)
    for (const [subject, count] of countAdditions(effects))
      additions.set(subject, Math.max(count, additions.get(subject) ?? 0))
  return { facts: first, varying, additions }
}

/** Compares a run with the usual one. Of its files, only what is missing or changed counts. */
export function compareFacts(facts: EndFacts, { facts: usual, varying }: Usual): Differences {
  const account = compare(usual.effects, facts.effects, varying)
  const { missing } = compare(usual.files, facts.files, varying)
  return { missing: [...account.missing, ...missing], added: account.added }
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
      ([subject, count]) => varying.subjects.has(subject) && count > (additions.get(subject) ?? 0),
    )
  )
}

/** Whether a client added more records than any run without faults. */
export function hasMoreRecords({ effects }: EndFacts, { additions }: Usual): boolean {
  return (countAdditions(effects).get('') ?? 0) > (additions.get('') ?? 0)
}

/** Describes the differences between runs without faults: `reseller: service 5001 bindedip` */
export function listVarying({ varying: { subjects, fields } }: Usual): string[] {
  return [...subjects, ...fields]
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
    if (!effect.isNew) return fields.map((field) => ({ ...effect, fields: [field] }))
    return varying.subjects.has(effect.subject) ? [] : [{ ...effect, fields }]
  })
}

function isVarying(path: string, { fields, kinds }: Varying): boolean {
  return fields.has(path) || kinds.has(generalize(path))
}

function addVarying(varying: Varying, first: readonly Effect[], other: readonly Effect[]): void {
  const { missing, added } = compare(first, other, varying)
  const subjects = new Set([...missing, ...added].map(({ subject }) => subject))
  for (const subject of subjects) {
    const [left, right] = [missing, added].map((all) => all.filter((one) => one.subject === subject))
    if (!left || !right) continue
    if (![...left, ...right].some(({ isNew }) => isNew)) addVaryingFields(varying, left, right)
    else if (left.length === right.length) addVaryingRecords(varying, left, right)
    else varying.subjects.add(subject)
  }
}

function addVaryingFields(
  { fields, kinds }: Varying,
  left: readonly Effect[],
  right: readonly Effect[],
): void {
  const [before, after] = [left, right].map((all) => new Set(all.map(changePath)))
  for (const path of new Set([...(before ?? []), ...(after ?? [])])) {
    fields.add(path)
    if (!before?.has(path) || !after?.has(path)) kinds.add(generalize(path))
  }
}

/** Pairs each new record with the most similar one of the other run. */
function addVaryingRecords({ fields }: Varying, left: readonly Effect[], right: readonly Effect[]): void {
  const others = [...right]
  for (const one of left) {
    const similarity = (other: Effect): number =>
      other.fields.filter((field) => includesFields(one, { ...other, fields: [field] })).length
    const [other] = others.toSorted((a, b) => similarity(b) - similarity(a))
    if (!other) return
    others.splice(others.indexOf(other), 1)
    const [values, otherValues] = [new Map(one.fields), new Map(other.fields)]
    for (const name of new Set([...values.keys(), ...otherValues.keys()]))
      if (values.get(name) !== otherValues.get(name)) fields.add(`${one.subject} ${name}`)
  }
}

/** `reseller: service 5001 bindedip` */
function changePath({ subject, fields: [field] }: Effect): string {
  return `${subject} ${field?.[0]}`
}

/** `reseller: service # bindedip` */
function generalize(path: string): string {
  return path.replaceAll(/\d+/g, '#')
}

function changeText({ subject, fields }: Effect): string {
  return [subject, ...fields.map((field) => field.join(' ')).toSorted()].join('\n')
}
