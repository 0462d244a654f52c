import { subtract, type Kind, type Observation, type World, getFields, kinds } from '../../simulator.ts'

/** Fields that hold addresses, in requests and responses */
export const addressFields: readonly string[] = ['ip', 'ips', 'bindedip', 'setip', 'errors', 'inactive']

/** The fields without which a record is invalid */
export const requiredFields: readonly string[] = [
  ...kinds.flatMap((kind) => getFields(kind).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))),
  'status',
]

/** Fields that IP lists show. The layout of lists is undocumented, so these are compared as facts, not as text */
export const ipListFields: ReadonlySet<string> = new Set(['ips', 'username', 'password'])

/** Whether the list of a kind shows all its records. The list of products omits hidden ones. */
export function isListedCompletely(kind: string): boolean {
  return (kind as Kind) !== 'products'
}

/** Adds the fields in nested records to the fields that an account holds. */
export function addNestedFields(fields: ReadonlySet<string>): ReadonlySet<string> {
  return fields.has('sessions') ? new Set([...fields, 'ip']) : fields
}

/** Corrects the initial credit when it is first read: adds the amount that our rules have spent since the start. */
export function correctStart(start: World, world: World, path: string, value: unknown): World {
  if (path !== 'credit') return start
  return { ...start, credit: subtract(Number(value), subtract(world.credit, start.credit)) }
}

export function withoutFacts(observation: Observation, paths: readonly string[]): Observation {
  const without = (facts: Observation['shownFacts']): Map<string, unknown> =>
    new Map([...facts].filter(([path]) => !paths.includes(path)))
  const { shownFacts, newFacts } = observation
  return { ...observation, shownFacts: without(shownFacts), newFacts: without(newFacts) }
}

/** Removes IP lists whose length is never the service's `ip_count`, because no world contains them. */
export function withoutImpossibleLists(observed: readonly Observation[]): Observation[] {
  // Repeated reads share an observation. For speed, lists of records are skipped, because they don't show addresses.
  const all = [...new Set(observed)].filter(({ listedKind }) => listedKind === undefined)
  const lists = all.map(({ shownFacts }) => [...shownFacts.keys()].find((path) => path.endsWith('/ips')))
  const counts = new Map<string, Set<unknown>>()
  for (const [i, { shownFacts }] of all.entries())
    for (const [path, value] of lists[i] === undefined ? shownFacts : [])
      if (path.endsWith('/ip_count')) counts.set(path, (counts.get(path) ?? new Set()).add(value))
  const possible = new Map<Observation, Observation>()
  for (const [i, one] of all.entries()) {
    const [path = '', list] = [lists[i], one.shownFacts.get(lists[i] ?? '')]
    const count = path.replace(/ips$/, 'ip_count')
    if (counts.get(count)?.has((list as unknown[]).length) !== false) continue
    const unusablePaths = [...one.unusablePaths, path]
    possible.set(one, { ...withoutFacts(one, [path, count]), unusablePaths, isImpossible: true })
  }
  return observed.map((one) => possible.get(one) ?? one)
}
