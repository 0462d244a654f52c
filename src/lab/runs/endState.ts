import { countBy, subtract } from '../../lib/groups.ts'
import { idField, type Effect, type Field } from './ClientChanges.ts'
import { allFiles } from './runFiles.ts'

/** The result of a run, as far as responses and files show it. */
export interface EndFacts {
  /** The client's changes to the accounts */
  effects: readonly Effect[]
  /** Its files: one effect each, whose fields are its lines, or its values by path */
  files: readonly Effect[]
}

/** The runs without faults, and what varies between them. */
export interface Usual {
  runs: readonly [EndFacts, ...EndFacts[]]
  facts: EndFacts
  mask: (facts: EndFacts) => EndFacts
  /** Varying subjects (`reseller: new order`), names of fields (`file a.json (names)`), and values (`file a.csv line`) */
  varying: string[]
}

/** The differences between a run and the runs without faults. */
export interface Differences {
  missing: readonly Effect[]
  added: readonly Effect[]
}

/** Replaces what varies between runs without faults, as `runFiles.ts` does with ids and times */
const masked = '…'

/**
 * Compares the runs without faults. What differs between them (subjects, names of fields, values, new records) is masked. How many there
 * are is judged, unless that differs, too.
 * @param runs the first one is the reference
 */
export function findUsual(runs: Usual['runs']): Usual {
  const effects = findVarying(runs.map((run) => run.effects))
  const files = findVarying(runs.map((run) => run.files))
  const mask = (facts: EndFacts): EndFacts => ({
    effects: effects.mask(facts.effects),
    files: files.mask(facts.files),
  })
  const varying = [...new Set([...effects.varying, ...files.varying])]
  return { runs, facts: mask(runs[0]), mask, varying }
}

/** The differences between runs without faults in one part, and a function that masks them in any run. */
interface Varying {
  varying: readonly string[]
  mask: (effects: readonly Effect[]) => readonly Effect[]
}

type Step = (runs: readonly (readonly Effect[])[]) => Varying

/** Compares subjects first, then names of fields, values, and records: each step masks its part, and the next one compares what is left. */
const findVarying: Step = (runs) => {
  const steps: Varying[] = []
  let current = runs
  for (const find of [varyingSubjects, varyingNames, varyingValues, varyingRecords]) {
    const step = find(current)
    current = current.map(step.mask)
    steps.push(step)
  }
  return {
    varying: steps.flatMap((step) => step.varying),
    mask: (effects) => steps.reduce((done, step) => step.mask(done), effects),
  }
}

/** Records and files that only some runs touch: `reseller: service …` */
const varyingSubjects: Step = (runs) => {
  const { isVarying, isFixed } = compareSets(runs.map((run) => run.map(({ subject }) => subject)))
  const mask = (subject: string): string =>
    !isVarying || isFixed(subject) ? subject : subject.replace(/(?<=^file ).*|\d+$/, masked)
  return {
    varying: subjectsOf(runs).flatMap((subject) => (mask(subject) === subject ? [] : [mask(subject)])),
    mask: (effects) => effects.map((effect) => ({ ...effect, subject: mask(effect.subject) })),
  }
}

/** Names of fields that only some runs have, such as keys of JSON. */
const varyingNames: Step = (runs) => {
  const namesOf = (subject: string) =>
    compareSets(runs.map((run) => merge(run, subject).map(([name]) => name)))
  const bySubject = memoize(namesOf)
  return {
    varying: subjectsOf(runs)
      .filter((subject) => !subject.includes('new ') && bySubject(subject).isVarying)
      .map((subject) => `${subject} (names)`),
    mask: (effects) =>
      effects.map((effect) => {
        const { isVarying, isFixed } = bySubject(effect.subject)
        // A new record may lack a field, because the call that sets it is missing.
        if (!isVarying || effect.isNew) return effect
        return {
          ...effect,
          fields: effect.fields.map(([name, value]) => [isFixed(name) ? name : masked, value] as const),
        }
      }),
  }
}

/** Values that only some runs have. */
const varyingValues: Step = (runs) => {
  const compared = memoize((key: string) => {
    const [subject, name] = JSON.parse(key) as [string, string]
    return compareLists(
      runs.map((run) => merge(run, subject).flatMap(([one, value]) => (one === name ? [value] : []))),
    )
  })
  const keyOf = (subject: string, name: string): string => JSON.stringify([subject, name])
  const varying = subjectsOf(runs).flatMap((subject) => {
    const names = [...new Set(runs.flatMap((run) => merge(run, subject).map(([name]) => name)))]
    return names
      .filter((name) => compared(keyOf(subject, name)).isVarying)
      .map((name) => `${subject} ${name}`)
  })
  const mask: Varying['mask'] = (effects) => {
    const taking = memoize((key: string) => compared(key).take())
    return effects.map((effect) => ({
      ...effect,
      fields: effect.fields.flatMap(([name, value]) => {
        const key = keyOf(effect.subject, name)
        const { isVarying, isCountVarying } = compared(key)
        if (!isVarying || taking(key)(value)) return [[name, value] as const]
        return isCountVarying && !effect.isNew ? [] : [[name, masked] as const]
      }),
    }))
  }
  return { varying, mask }
}

/** New records whose fields are combined differently in some runs, or whose number varies. */
const varyingRecords: Step = (runs) => {
  const compared = memoize((subject: string) =>
    compareLists(
      runs.map((run) => run.filter((one) => one.isNew && one.subject === subject).map(changeText)),
    ),
  )
  const mask: Varying['mask'] = (effects) => {
    const taking = memoize((subject: string) => compared(subject).take())
    return effects.flatMap((effect) => {
      const { isVarying, isCountVarying } = compared(effect.subject)
      if (!effect.isNew || !isVarying) return [effect]
      if (isCountVarying) return []
      return taking(effect.subject)(changeText(effect))
        ? [effect]
        : [{ ...effect, fields: [[masked, masked] as const] }]
    })
  }
  return { varying: subjectsOf(runs).filter((subject) => compared(subject).isVarying), mask }
}

function subjectsOf(runs: readonly (readonly Effect[])[]): string[] {
  return [...new Set(runs.flat().map(({ subject }) => subject))]
}

/** The fields of all effects with a subject. */
function merge(effects: readonly Effect[], subject: string) {
  return effects.filter((one) => one.subject === subject).flatMap(({ fields }) => fields)
}

function compareSets(lists: readonly (readonly string[])[]) {
  const sets = lists.map((list) => new Set(list))
  const isFixed = (text: string): boolean => sets.every((set) => set.has(text))
  return { isFixed, isVarying: lists.flat().some((text) => !isFixed(text)) }
}

/** Compares lists, whatever their order. `take` creates a function that takes a text from what all lists have. */
function compareLists(lists: readonly (readonly string[])[]) {
  const counts = lists.map((list) => countBy(list, (text) => text))
  const common = new Map(
    [...(counts[0] ?? [])].map(([text]) => [text, Math.min(...counts.map((one) => one.get(text) ?? 0))]),
  )
  const size = [...common.values()].reduce((sum, count) => sum + count, 0)
  return {
    isVarying: lists.some((list) => list.length > size),
    isCountVarying: new Set(lists.map((list) => list.length)).size > 1,
    take: () => {
      const left = new Map(common)
      return (text: string): boolean => {
        const count = left.get(text) ?? 0
        left.set(text, count - 1)
        return count > 0
      }
    },
  }
}

function memoize<T>(create: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    if (!known.has(key)) known.set(key, create(key))
    return known.get(key) as T
  }
}

/** Compares a run with the usual one. */
export function compareFacts(facts: EndFacts, { facts: usual, mask }: Usual): Differences {
  const { effects, files: own } = mask(facts)
  const account = compare(usual.effects, effects)
  const files = withoutExplainedIds(compare(usual.files, own))
  return { missing: [...account.missing, ...files.missing], added: [...account.added, ...files.added] }
}

/** The number of ids is no news where other content differs, nor in all files where it differs in one. */
function withoutExplainedIds(files: Differences): Differences {
  const all = [...files.missing, ...files.added]
  const hasContent = all.some(({ fields }) => fields.some(([name]) => name !== idField))
  const hasOne = all.some(({ subject }) => subject !== allFiles)
  const isNews = ({ subject, fields }: Effect): boolean =>
    fields.every(([name]) => name !== idField) || (!hasContent && (!hasOne || subject !== allFiles))
  return { missing: files.missing.filter(isNews), added: files.added.filter(isNews) }
}

function compare(usual: readonly Effect[], effects: readonly Effect[]): Differences {
  const [missing, added] = [usual, effects].map(splitChanges) as [Effect[], Effect[]]
  return { missing: subtract(missing, added, changeText), added: subtract(added, missing, changeText) }
}

/** Splits effects into changes: a new record is one change, and so is each field of anything else. */
function splitChanges(effects: readonly Effect[]): Effect[] {
  return effects.flatMap((effect) =>
    effect.isNew ? [effect] : effect.fields.map((field) => ({ ...effect, fields: [field] })),
  )
}

function changeText({ subject, fields }: Effect): string {
  return [subject, ...fields.map((field) => field.join(' ')).toSorted()].join('\n')
}

/**
 * Whether a client added more records than the runs without faults. A new record may lack some of the usual fields, because the call
 * that sets them may be missing.
 */
export function addsMore(facts: EndFacts, { facts: usual, mask, runs }: Usual): boolean {
  if (variesInNumber({ runs })) return hasMoreRecords(facts, { runs })
  const { missing, added } = compare(usual.effects, mask(facts).effects)
  const left = missing.filter(({ isNew }) => isNew)
  // The most complete records are matched first, so that an incomplete one doesn't take their only match.
  const records = added.filter(({ isNew }) => isNew).toSorted((a, b) => b.fields.length - a.fields.length)
  return records.some((record) => {
    const index = left.findIndex((one) => one.subject === record.subject && includesFields(one, record))
    left.splice(index, index < 0 ? 0 : 1)
    return index < 0
  })
}

function includesFields(one: Effect, { fields }: Effect): boolean {
  const values = new Map(one.fields)
  return fields.every(([name, value]) => values.get(name) === value)
}

/** Whether a client added more records than any run without faults. */
export function hasMoreRecords(facts: EndFacts, { runs }: Pick<Usual, 'runs'>): boolean {
  return countRecords(facts) > Math.max(...runs.map(countRecords))
}

/** Whether runs without faults add different numbers of records, so that the number proves nothing. */
export function variesInNumber({ runs }: Pick<Usual, 'runs'>): boolean {
  return new Set(runs.map(countRecords)).size > 1
}

function countRecords({ effects }: EndFacts): number {
  return effects.filter(({ isNew }) => isNew).length
}

/** Binary files, and those whose whole content varies between runs without faults. */
export function listUncompared({ runs: [{ files }], facts }: Usual): string[] {
  const found = facts.files.filter(({ subject, fields }, i) => {
    const original = files[i] as Effect
    const content = contentOf(original)
    const judged = contentOf({ ...original, fields }).map((field) => field.join(' '))
    const isJudged = content.some((field) => judged.includes(field.join(' ')))
    return subject !== allFiles && !isJudged && (content.length > 0 || original.fields.length === 0)
  })
  return [...new Set(found.map(({ subject }) => subject.replace(/^file /, '')))]
}

function contentOf({ fields }: Effect): Field[] {
  return fields.filter(([name]) => name !== idField && name !== 'exists')
}
