import { expect, test } from 'vitest'
import { patchWorld } from '../../src/scenario/patchWorld.ts'
import { adminOf, small } from '../support/admin.ts'
import { start } from '../support/start.ts'

test('a patch costs its own size, not that of the world', async () => {
  const simulator = await start({
    scenario: {
      accounts: {
        reseller: {
          password: 'x',
          clients: { 11: {} },
          products: small.accounts.reseller.products,
          generate: { services: 50_000 },
        },
      },
    },
  })
  const admin = adminOf(() => simulator)
  const world = simulator.simulation.store.world('reseller')
  if (!world) throw new Error('There is no world.')
  await admin('PATCH', '/accounts/reseller', { services: { 5001: { bindedip: '192.0.2.1' } } })
  const start0 = performance.now()
  for (let i = 0; i < 1000; i++)
    patchWorld(
      world,
      { services: { 5001: { status: 'Pending' } } },
      simulator.simulation.contract,
      Date.now(),
    )
  const perPatch = (performance.now() - start0) / 1000
  expect(perPatch).toBeLessThan(2)
})
