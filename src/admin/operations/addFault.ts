import { fillFault } from '../../world/defaults.ts'
import { beyond, mostIds } from '../../world/counting.ts'
import { checkFault } from '../../world/invariants.ts'
import { AdminError, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { armedFault } from '../armedFault.ts'
import { changeWorld } from '../changeWorld.ts'
import { pickAccount } from '../findAccount.ts'

export const addFault: AdminOperation<'addFault'> = async ({ query, body }, simulation) => {
  const { faultSchema } = await import('../../scenario/schema.ts')
  const { schemaIssues } = await import('../../scenario/schemaIssues.ts')
  const account = pickAccount(simulation, query.account)
  const wrong = schemaIssues(faultSchema, body)
  const issues = wrong.length ? wrong : checkFault(body, simulation.contract.operations)
  if (issues.length)
    throw wrongInput(
      'The fault is wrong.',
      issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    )
  const { faults, next } = account.world
  if (body.id === undefined && next.fault >= mostIds)
    throw wrongInput('The fault is wrong.', [
      { path: 'id', message: `none below ${mostIds} is left: name one` },
    ])
  const fault = fillFault(body, body.id ?? next.fault)
  if (faults.some(({ id }) => id === fault.id))
    throw new AdminError(409, `There is a fault ${fault.id} already; leave the id out.`)
  await changeWorld(simulation, account, {
    faults: [...faults, fault],
    next: { fault: beyond(next.fault, fault.id) },
  })
  return { status: 201, body: armedFault(fault) }
}
