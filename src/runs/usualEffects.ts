import type { Effect, Field } from './ClientChanges.ts'

/**
 * What a client does without faults. If two equal runs differ, all that they have in common is usual, and a value in which they
 * differ may be any.
 */
export interface Usual {
  changes: readonly UsualChange[]
  /** Subjects of which each run changes another number */
  varying: ReadonlySet<string>
  /** Number of records that a run adds at most */
  additions: number
  /** The differences between the two runs: `reseller: service 5001 bindedip` */
  unsteady: readonly string[]
}

/** A new record, or a changed field of another. */
interface UsualChange extends Effect {
  /** Fields that not every run sets. Those with any value have `anyValue` */
  optional: ReadonlySet<string>
}

/** How the changes of a run differ from what is usual. */
export interface Differences {
  missing: readonly Effect[]
  added: readonly Effect[]
}

const anyValue = 'another in each run'

/** @param others the effects of a second run, which differ by chance only */
export function usualOf(effects: readonly Effect[], others = effects): Usual {
  const [some, more] = [changesOf(effects), changesOf(others)]
  const additions = Math.max(...[some, more].map((all) => all.filter(({ isNew }) => isNew).length))
  const unsteady = new Set<string>()
  const changes: UsualChange[] = []
  let left: readonly Effect[] = some
  let right: readonly Effect[] = more
  // Equal changes first. A record that is chosen at random is another one in each run.
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

/** Compares the effects of a run. Kinds of changes whose number varies aren't compared. */
export function differences(effects: readonly Effect[], { changes, varying }: Usual): Differences {
  const exact = paired(changes, changesOf(effects), textOf)
  const added = [...exact.right]
  const missing: Effect[] = []
  // The most definite first, so that each finds its own.
  for (const one of exact.left.toSorted((a, b) => vagueness(a) - vagueness(b))) {
    const at = added.findIndex((change) => isUsual(change, one))
    if (at < 0) missing.push(one)
    else added.splice(at, 1)
  }
  return { missing, added: added.filter((change) => !varying.has(kindOf(change))) }
}

/**
 * Whether a client added a record that it doesn't usually add. A record without some of the usual fields is a usual one that
 * a later call should have completed. If the number of records varies, any may be one too many.
 */
export function addsMore({ missing, added }: Differences, { varying }: Usual): boolean {
  if ([...varying].some((kind) => kind.includes(': new '))) return true
  const left = missing.filter(({ isNew }) => isNew)
  // The most complete records first, so that each finds its own.
  const records = added.filter(({ isNew }) => isNew).toSorted((a, b) => b.fields.length - a.fields.length)
  return records.some((record) => {
    const at = left.findIndex((one) => one.subject === record.subject && hasOnly(record, new Map(one.fields)))
    left.splice(at, at < 0 ? 0 : 1)
    return at < 0
  })
}

/** A new record is one change, and so is each field of another record. */
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

/** Pairs changes with the same key: of several, those with the most equal fields. */
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

/** What two changes have in common. */
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

/** The number of fields whose value may be any, or that may be missing. A record that may be any counts more. */
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
