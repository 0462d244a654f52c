import type { Effect, Field } from './ClientChanges.ts'

/**
 * The effects that a client has without faults, from two fault-free runs. If the runs differ, only their common
 * effects are usual, and any value is accepted where their values differ.
 */
export interface UsualEffects {
  changes: readonly UsualChange[]
  /**
   * The kinds of changes (see `changeKind`) whose number differs between the runs, with the fields that all changes of the kind have
   */
  varying: ReadonlyMap<string, readonly Field[]>
  /** Maximum number of records that a run adds */
  additions: number
  /** The differences between the two runs: `reseller: service 5001 bindedip` */
  unstable: readonly string[]
}

/** A new record, or a changed field of an existing one. */
interface UsualChange extends Effect {
  /** Fields that only one of the runs sets. A field whose value differs has `anyValue` instead. */
  optional: ReadonlySet<string>
  /** Accepted kinds of changes, if each run makes a change of a different kind instead */
  alternatives?: readonly string[]
}

/** The differences between the changes of a run and the usual ones. */
export interface Differences {
  missing: readonly Effect[]
  added: readonly Effect[]
}

const anyValue = 'differs per run'

/** @param otherEffects the effects of a second fault-free run */
export function findUsual(effects: readonly Effect[], otherEffects = effects): UsualEffects {
  const [first, second] = [splitChanges(effects), splitChanges(otherEffects)]
  const additions = Math.max(...[first, second].map((all) => all.filter(({ isNew }) => isNew).length))
  const unstable = new Set<string>()
  const changes: UsualChange[] = []
  let left: readonly Effect[] = first
  let right: readonly Effect[] = second
  // Pairs equal changes first, then less similar ones: a record chosen at random has a different id in each run.
  for (const key of [changeText, kindAndText, changePath, changeKind]) {
    const { pairs, ...rest } = pairChanges(left, right, key)
    for (const [one, other] of pairs) changes.push(mergePair(one, other, unstable))
    ;({ left, right } = rest)
  }
  for (const one of [...left, ...right]) unstable.add(changePath(one))
  const varying = new Set([...left, ...right].map(changeKind))
  for (const [one, other] of pairChanges(left, right, () => '').pairs)
    changes.push({ ...one, optional: new Set(), alternatives: [one, other].map(changeKind) })
  return {
    changes,
    varying: new Map([...varying].map((kind) => [kind, commonFields([...first, ...second], kind)])),
    additions,
    unstable: [...unstable],
  }
}

/** Returns the fields that are equal in all changes of a kind; none if there is only one change. */
function commonFields(changes: readonly Effect[], kind: string): readonly Field[] {
  const [one, ...others] = changes.filter((change) => changeKind(change) === kind)
  if (!one || others.length === 0) return []
  return one.fields.filter((field) => others.every((other) => hasField(other, field)))
}

function hasField({ fields }: Effect, [name, value]: Field): boolean {
  return fields.some((field) => field[0] === name && field[1] === value)
}

/**
 * Compares the effects of a run with the usual ones. If the number of changes of a kind varies, additional ones with the common
 * fields of that kind are accepted.
 */
export function compareEffects(effects: readonly Effect[], { changes, varying }: UsualEffects): Differences {
  const exact = pairChanges(changes, splitChanges(effects), changeText)
  const added = [...exact.right]
  const missing: Effect[] = []
  // The most specific changes are matched first, so that a vague one doesn't take their only match.
  for (const one of exact.left.toSorted((a, b) => vagueness(a) - vagueness(b))) {
    const index = added.findIndex((change) => matchesUsual(change, one))
    if (index < 0) missing.push(one)
    else added.splice(index, 1)
  }
  const isExtra = (change: Effect): boolean =>
    varying.get(changeKind(change))?.every((field) => hasField(change, field)) ?? false
  return { missing, added: added.filter((change) => !isExtra(change)) }
}

/**
 * Whether a client added more records than usual. A new record may lack some of the usual fields, because the call that sets
 * them may be missing.
 */
export function addsMore({ missing, added }: Differences): boolean {
  const left = missing.filter(({ isNew }) => isNew)
  // The most complete records are matched first, so that an incomplete one doesn't take their only match.
  const records = added.filter(({ isNew }) => isNew).toSorted((a, b) => b.fields.length - a.fields.length)
  return records.some((record) => {
    const index = left.findIndex(
      (one) => one.subject === record.subject && hasUsualValues(record, new Map(one.fields)),
    )
    left.splice(index, index < 0 ? 0 : 1)
    return index < 0
  })
}

/** Splits effects into changes: a new record is one change, and so is each changed field of an existing record. */
function splitChanges(effects: readonly Effect[]): Effect[] {
  return effects.flatMap((effect) =>
    effect.isNew ? [effect] : effect.fields.map((field) => ({ ...effect, fields: [field] })),
  )
}

/** `reseller: new service`, `reseller: service 5001 bindedip` */
function changePath({ subject, isNew, fields: [field] }: Effect): string {
  return isNew ? subject : `${subject} ${field?.[0]}`
}

/** `reseller: new service`, `reseller: some service bindedip` */
function changeKind(change: Effect): string {
  return changePath({ ...change, subject: generalizeSubject(change.subject) })
}

function generalizeSubject(subject: string): string {
  return subject.replace(/(\w+) \d+$/, 'some $1')
}

function kindAndText(change: Effect): string {
  return changeText({ ...change, subject: generalizeSubject(change.subject) })
}

function changeText(change: Effect): string {
  return [changePath(change), ...change.fields.map((field) => field.join(' ')).toSorted()].join('\n')
}

interface Pairing<T> {
  pairs: [T, Effect][]
  left: T[]
  right: Effect[]
}

/** Pairs changes with the same key. If several have it, those with the most equal fields are paired. */
function pairChanges<T extends Effect>(
  left: readonly T[],
  right: readonly Effect[],
  key: (change: Effect) => string,
): Pairing<T> {
  const others = new Map<string, Effect[]>()
  for (const other of right) others.set(key(other), [...(others.get(key(other)) ?? []), other])
  const pairs: [T, Effect][] = []
  const unpaired = left.filter((one) => {
    const candidates = others.get(key(one)) ?? []
    const similarities = candidates.map((other) => countEqualFields(one, other))
    const [other] = candidates.splice(
      similarities.indexOf(Math.max(...similarities)),
      candidates.length > 0 ? 1 : 0,
    )
    if (other) pairs.push([one, other])
    return !other
  })
  return { pairs, left: unpaired, right: [...others.values()].flat() }
}

function countEqualFields(one: Effect, other: Effect): number {
  const values = new Map(other.fields)
  return one.fields.filter(([name, value]) => values.get(name) === value).length
}

/** Returns the common part of two paired changes, and adds their differences to `unstable`. */
function mergePair(one: Effect, other: Effect, unstable: Set<string>): UsualChange {
  const values = new Map(other.fields)
  const sharedFields = one.fields.flatMap(([name, value]): Field[] =>
    values.has(name) ? [[name, values.get(name) === value ? value : anyValue]] : [],
  )
  const common = new Map(sharedFields)
  const optional = new Set(
    [...one.fields, ...other.fields].map(([name]) => name).filter((name) => !common.has(name)),
  )
  const isSame = one.subject === other.subject
  for (const { subject, fields } of [one, other])
    for (const [name] of fields)
      if (!isSame || optional.has(name) || common.get(name) === anyValue) unstable.add(`${subject} ${name}`)
  return {
    subject: isSame ? one.subject : generalizeSubject(one.subject),
    isNew: one.isNew,
    fields: sharedFields,
    optional,
  }
}

/** The number of fields that may have any value or be missing. A change that any record may have counts as 1,000 fields. */
function vagueness({ subject, fields, optional, alternatives }: UsualChange): number {
  if (alternatives) return Infinity
  const any = fields.filter(([, value]) => value === anyValue).length
  return any + optional.size + (/: some /.test(subject) ? 1000 : 0)
}

function matchesUsual(
  change: Effect,
  { subject, isNew, fields, optional, alternatives }: UsualChange,
): boolean {
  if (alternatives) return alternatives.includes(changeKind(change))
  if (change.isNew !== isNew || (change.subject !== subject && generalizeSubject(change.subject) !== subject))
    return false
  const usual = new Map(fields)
  const required = change.fields.filter(([name]) => !optional.has(name))
  return required.length === usual.size && hasUsualValues({ ...change, fields: required }, usual)
}

/** Whether each field of a change has the usual value. */
function hasUsualValues({ fields }: Effect, usual: ReadonlyMap<string, string>): boolean {
  return fields.every(([name, value]) => [value, anyValue].includes(usual.get(name) ?? ''))
}
