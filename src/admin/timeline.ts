import { entryIssues } from '../timeline/timelineIssues.ts'
import { sortedEntries } from '../world/shownChange.ts'
import { getAccountTime } from '../world/time.ts'
import { maxListLength, nextIdAfter } from '../world/numbers.ts'
import { fillEntry, isKeptRenewal } from '../service/index.ts'
import type { EntryInput, TimelineEntry } from '../world/World.ts'
import { AdminError, notFound, requireNoIssues } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { transactAccount, pickAccount } from './findAccount.ts'
import { loadChecks } from '../scenario/onDemand.ts'

const invalidEntry = 'The entry is invalid.'

export const getTimeline: AdminOperation<'getTimeline'> = async ({ query }, simulation) => {
  const world = await pickAccount(simulation, query.account)
  const skipped = [...world.history.values()].flatMap(({ reason, ...entry }) =>
    reason === undefined ? [] : [{ ...entry, reason }],
  )
  const past = { count: world.history.lastId ?? 0, last: [...world.history.values()] }
  return { timeline: sortedEntries(world), skipped, ...(query.past && { past }) }
}

export const addToTimeline: AdminOperation<'addToTimeline'> = async ({ query, body }, simulation) => {
  const { entrySchema, expandEntry, patchWorld, schemaIssues } = await loadChecks()
  const { operations } = simulation.contract
  const input = expandEntry(body) as EntryInput
  requireNoIssues(invalidEntry, schemaIssues(entrySchema, input))
  return transactAccount(simulation, query.account, (world, real) => {
    const now = getAccountTime(world.clock, real)
    requireNoIssues(
      invalidEntry,
      entryIssues(input, world, now, operations, (worldThen, patch) =>
        patchWorld(worldThen, patch, simulation.contract, real),
      ),
    )
    const id = input.id ?? world.next.timeline
    if (world.timeline.has(id))
      throw new AdminError(409, `Entry ${id} already exists. Leave out the id to get a free one.`)
    if (world.timeline.size >= maxListLength)
      throw new AdminError(409, `There are already ${maxListLength} entries, the maximum. Remove some.`)
    const entry = fillEntry(input, now)
    return {
      value: { id, ...entry },
      change: { timeline: { [id]: entry }, next: { timeline: nextIdAfter(world.next.timeline, id) } },
    }
  })
}

export const removeFromTimeline: AdminOperation<'removeFromTimeline'> = ({ path, query }, simulation) =>
  transactAccount(simulation, query.account, (world) => {
    const { timeline } = world
    const ids = [...timeline.keys()].map(String)
    if (!ids.includes(path.id)) throw notFound('entry', path.id, ids)
    const entry = timeline.get(path.id) as TimelineEntry
    if (isKeptRenewal(world, entry))
      throw new AdminError(
        409,
        `Entry ${path.id} renews service ${entry.renew}, because limits.renewal is true. Set limits.renewal to false to stop all renewals.`,
      )
    return { value: undefined, change: { timeline: { [path.id]: null } } }
  })

export const clearTimeline: AdminOperation<'clearTimeline'> = ({ query }, simulation) =>
  transactAccount(simulation, query.account, (world) => {
    const removed = [...world.timeline.entries()].filter(([, entry]) => !isKeptRenewal(world, entry))
    const timeline = Object.fromEntries(removed.map(([id]) => [id, null]))
    return { value: undefined, ...(removed.length > 0 && { change: { timeline } }) }
  })
