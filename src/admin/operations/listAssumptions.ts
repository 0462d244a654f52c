import { readingOf, type Readings } from '../../world/readingOf.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'
import type { Assumption } from '../shapes.ts'

export const listAssumptions: AdminOperation<'listAssumptions'> = async ({ query }, simulation) => {
  const { store } = simulation
  const account = query.account ?? onlyOne(await store.logins())
  const readings = account === undefined ? undefined : await findAccount(simulation, account)
  return {
    status: 200,
    body: simulation.contract.assumptions.map(
      (one) => ({ ...one, ...currentOf(readings, one.id) }) as Assumption,
    ),
  }
}

function onlyOne(logins: readonly string[]): string | undefined {
  return logins.length === 1 ? logins[0] : undefined
}

function currentOf(readings: Readings | undefined, id: string): { current?: string | number } {
  const current = readings && readingOf(readings, id)
  return current === undefined ? {} : { current }
}
