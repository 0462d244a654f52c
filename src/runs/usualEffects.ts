import type { Effect, Field } from './ClientChanges.ts'

/**
 * The effects that a client has without faults, from two fault-free runs. If the runs differ, only what both have in common is
 * usual, and any value is accepted where their values differ.
 */
export interface Usual {
  changes: readonly UsualChange[]
  /** Kinds of changes (see `kindOf`) whose number differs between the runs */
  varying: ReadonlySet<string>
  /** Maximum number of records that a run adds */
  additions: number
  /** The differences between the two runs: `reseller: service 5001 bindedip` */
  unsteady: readonly string[]
}

/** A new record, or a changed field of an existing one. */
interface UsualChange extends Effect {
  /** Fields that only one of the runs sets. A field whose value differs has `anyValue` instead. */
  optional: ReadonlySet<string>
}

/** The differences between the changes of a run and the usual ones. */
export interface Differences {
  missing: readonly Effect[]
  added: readonly Effect[]
}

const anyValue = 'differs per run'

/** @param otherEffects the effects of a second fault-free run */
export function usualOf(effects: readonly Effect[], otherEffects = effects): Usual {
  const [first, second] = [changesOf(effects), changesOf(otherEffects)]
  const additions = Math.max(...[first, second].map((all) => all.filter(({ isNew }) => isNew).length))
  const unsteady = new Set<string>()
  const changes: UsualChange[] = []
  let left: readonly Effect[] = first
  let right: readonly Effect[] = second
  // Pairs equal changes first, then less similar ones: a record chosen at random has a different id in each run.
  for (const key of [textOf, kindAndText, placeOf, kindOf]) {
    const { pairs, ...rest } = paired(left, right, key)
    for (const [one, other] of pairs) changes.push(merged(one, other, unsteady))
    ;({ left, right } = rest)
  }
  for (const one of [...left, ...right]) unsteady.add(placeOf(one))
  return {
    changes,
    varying: new Set([...left, ...right].map(kindOf)),
    additions,
    unsteady: [...unsteady],
  }
}

/** Compares the effects of a run with the usual ones. Additional changes don't count if the number of their kind varies. */
export function differences(effects: readonly Effect[], { changes, varying }: Usual): Differences {
  const exact = paired(changes, changesOf(effects), textOf)
  const added = [...exact.right]
  const missing: Effect[] = []
  // The most specific changes choose first, so that a vague one doesn't take their only match.
  for (const one of exact.left.toSorted((a, b) => vagueness(a) - vagueness(b))) {
    const index = added.findIndex((change) => isUsual(change, one))
    if (index < 0) missing.push(one)
    else added.splice(index, 1)
  }
  return { missing, added: added.filter((change) => !varying.has(kindOf(change))) }
}

/**
 * Whether a client added more records than usual. A new record that lacks some of the usual fields still counts as usual: a later
 * call should have set them. If the number of new records varies, there is no telling, so the answer is yes.
 */
export function addsMore({ missing, added }: Differences, { varying }: Usual): boolean {
  if ([...varying].some((kind) => kind.includes(': new '))) return true
  const left = missing.filter(({ isNew }) => isNew)
  // The most complete records choose first, so that an incomplete one doesn't take their only match.
  const records = added.filter(({ isNew }) => isNew).toSorted((a, b) => b.fields.length - a.fields.length)
  return records.some((record) => {
    const index = left.findIndex(
      (one) => one.subject === record.subject && hasOnly(record, new Map(one.fields)),
    )
    left.splice(index, index < 0 ? 0 : 1)
    return index < 0
  })
}

/** Splits effects into changes: a new record is one change, and so is each changed field of an existing record. */
function changesOf(effects: readonly Effect[]): Effect[] {
  return effects.flatMap((effect) =>
    effect.isNew ? [effect] : effect.fields.map((field) => ({ ...effect, fields: [field] })),
  )
}

/** `reseller: new service`, `reseller: service 5001 bindedip` */
function placeOf({ subject, isNew, fields: [field] }: Effect): string {
  return isNew ? subject : `${subject} ${field?.[0]}`
}

/** `reseller: new service`, `reseller: some service bindedip` */
function kindOf(change: Effect): string {
  return placeOf({ ...change, subject: someOf(change.subject) })
}

function someOf(subject: string): string {
  return subject.replace(/(\w+) \d+$/, 'some $1')
}

function kindAndText(change: Effect): string {
  return textOf({ ...change, subject: someOf(change.subject) })
}

function textOf(change: Effect): string {
  return [placeOf(change), ...change.fields.map((field) => field.join(' ')).toSorted()].join('\n')
}

interface Paired<One> {
  pairs: [One, Effect][]
  left: One[]
  right: Effect[]
}

/** Pairs changes with the same key. If several have it, those with the most equal fields are paired. */
function paired<One extends Effect>(
  left: readonly One[],
  right: readonly Effect[],
  key: (change: Effect) => string,
): Paired<One> {
  const others = new Map<string, Effect[]>()
  for (const other of right) others.set(key(other), [...(others.get(key(other)) ?? []), other])
  const pairs: [One, Effect][] = []
  const rest = left.filter((one) => {
    const candidates = others.get(key(one)) ?? []
    const likeness = candidates.map((other) => equalFields(one, other))
    const [other] = candidates.splice(likeness.indexOf(Math.max(...likeness)), candidates.length > 0 ? 1 : 0)
    if (other) pairs.push([one, other])
    return !other
  })
  return { pairs, left: rest, right: [...others.values()].flat() }
}

function equalFields(one: Effect, other: Effect): number {
  const values = new Map(other.fields)
  return one.fields.filter(([name, value]) => values.get(name) === value).length
}

/** The common part of two paired changes. Adds the differences to `unsteady`. */
function merged(one: Effect, other: Effect, unsteady: Set<string>): UsualChange {
  const values = new Map(other.fields)
  const both = one.fields.flatMap(([name, value]): Field[] =>
    values.has(name) ? [[name, values.get(name) === value ? value : anyValue]] : [],
  )
  const common = new Map(both)
  const optional = new Set(
    [...one.fields, ...other.fields].map(([name]) => name).filter((name) => !common.has(name)),
  )
  const isSame = one.subject === other.subject
  for (const { subject, fields } of [one, other])
    for (const [name] of fields)
      if (!isSame || optional.has(name) || common.get(name) === anyValue) unsteady.add(`${subject} ${name}`)
  return { subject: isSame ? one.subject : someOf(one.subject), isNew: one.isNew, fields: both, optional }
}

/** The number of fields that may have any value or be missing. A change that any record may have counts as 1,000 fields. */
function vagueness({ subject, fields, optional }: UsualChange): number {
  const any = fields.filter(([, value]) => value === anyValue).length
  return any + optional.size + (/: some /.test(subject) ? 1000 : 0)
}

function isUsual(change: Effect, { subject, isNew, fields, optional }: UsualChange): boolean {
  if (change.isNew !== isNew || (change.subject !== subject && someOf(change.subject) !== subject))
    return false
  const usual = new Map(fields)
  const required = change.fields.filter(([name]) => !optional.has(name))
  return required.length === usual.size && hasOnly({ ...change, fields: required }, usual)
}

/** Whether each field of a change has the usual value. */
function hasOnly({ fields }: Effect, usual: ReadonlyMap<string, string>): boolean {
  return fields.every(([name, value]) => [value, anyValue].includes(usual.get(name) ?? ''))
}
