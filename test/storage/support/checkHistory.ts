/** What a client was told of an account, and when it asked. */
export interface Observation {
  began: number
  ended: number
  wrote: boolean
  /** The version that it read, or made */
  version: number
  /** What the account held in that version; each write has a value of its own */
  credit: number
}

/**
 * Whether what clients were told can be the history of one account. As each write makes the next version, and each
 * answer names its version, there is one order that is possible: the versions'. It must hold what each read saw, and go
 * against no clock.
 * @returns what can't be
 */
export function checkHistory(
  observations: readonly Observation[],
  last = observations.filter((one) => one.wrote).length,
): string[] {
  const wrong: string[] = []
  const writes = new Map<number, Observation>()
  for (const one of observations.filter(({ wrote }) => wrote)) {
    if (writes.has(one.version)) wrong.push(`version ${one.version} was made twice`)
    writes.set(one.version, one)
  }
  for (let version = 1; version <= last; version++)
    if (!writes.has(version)) wrong.push(`version ${version} was made by nobody`)
  for (const { wrote, version, credit } of observations)
    if (!wrote && version > 0 && writes.get(version)?.credit !== credit)
      wrong.push(`version ${version} was read as ${credit}`)
  const byEnd = observations.toSorted((a, b) => a.ended - b.ended)
  const byBegin = observations.toSorted((a, b) => a.began - b.began)
  let done = 0
  let newest = 0
  for (const one of byBegin) {
    for (; (byEnd[done]?.ended ?? Infinity) < one.began; done++)
      newest = Math.max(newest, byEnd[done]?.version ?? 0)
    if (one.version < newest || (one.wrote && one.version === newest))
      wrong.push(`version ${one.version} came after version ${newest} was answered`)
  }
  return wrong
}
