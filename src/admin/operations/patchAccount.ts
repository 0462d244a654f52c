import { setImmediate as nextTurn } from 'node:timers/promises'
import { exportedAccount } from '../../scenario/exportScenario.ts'
import { indexBindings } from '../../world/bindings.ts'
import { kinds } from '../../world/Draft.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { World } from '../../world/World.ts'
import { requireRight, wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount, findAccount } from '../findAccount.ts'

/** How many records a patch may touch: it is checked and applied in one go, which blocks other requests. */
const mostRecords = 1000

export const patchAccount: AdminOperation<'patchAccount'> = async ({ path, body }, simulation) => {
  const { patchWorld } = await import('../../scenario/patchWorld.ts')
  const { login } = path
  indexBindings(await findAccount(simulation, login))
  await nextTurn() // of 100,000 services, the index takes as long as the patch
  const real = await changeAccount(simulation, login, (world, now) => {
    requireShort(world, body)
    const { change, issues } = patchWorld(world, body, simulation.contract, now)
    requireRight('The patch is invalid.', issues)
    return { value: now, change }
  })
  return { status: 200, pieces: exportedAccount(await findAccount(simulation, login), real) }
}

/** @throws AdminError */
function requireShort(world: World, patch: unknown): void {
  if (!isObject(patch)) return
  const touched = kinds.map((kind) => Object.keys((patch[kind] === null ? world : patch)[kind] ?? {}).length)
  const all = touched.reduce((sum, count) => sum + count, 0)
  if (all > mostRecords)
    throw wrongInput('The patch is too large.', [
      {
        path: kinds[touched.indexOf(Math.max(...touched))] ?? '',
        message: `the patch touches ${all} records, but at most ${mostRecords} are allowed: send several patches, or load a scenario`,
      },
    ])
}
