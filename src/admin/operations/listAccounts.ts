import { readClock, realTime, timeOf } from '../../state/clock.ts'
import { livingSessions } from '../../world/sticky.ts'
import type { Instant } from '../../world/time.ts'
import type { World } from '../../world/World.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const listAccounts: AdminOperation<'listAccounts'> = async (_input, { store }) => {
  const real = realTime()
  return {
    status: 200,
    body: Object.entries((await store.all()).accounts).map(([login, world]) => ({
      login,
      created: world.origin !== undefined,
      credit: world.credit,
      clients: count(world.clients),
      products: count(world.products),
      services: count(world.services),
      invoices: count(world.invoices),
      sessions: sessions(world, timeOf(world.clock, real)),
      faults: world.faults.length,
      clock: readClock(world.clock, real),
    })),
  }
}

function count(records: object): number {
  return Object.keys(records).length
}

function sessions({ services }: World, now: Instant): number {
  let living = 0
  for (const { sticky } of Object.values(services))
    if (sticky?.sessions.length) living += livingSessions(sticky, now).length
  return living
}
