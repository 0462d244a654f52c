import * as fc from 'fast-check'
import { expect } from 'vitest'
import { noon, products, reseller as common } from '../../support/scenario.ts'
import { seed } from '../../support/fixedSeed.ts'
import { sampled } from '../../support/sampled.ts'
import { type Accounts, expectAgreement, Model } from './Model.ts'
import { steps } from './steps.ts'
import type { Subject } from './Subject.ts'

const stepCount = Number(process.env['MODEL_STEPS'] ?? sampled(60))
const maxLength = 60

const reseller = {
  ...common,
  password: 'se:cret',
  products: {
    ...products,
    101: { ...products[101], price: 0.1, ip_count: 3 },
    103: { ...products[102], productName: 'Dear', price: 19.99, product_hidden: false },
  },
  limits: { updateListInterval: 600 },
}
const ana = {
  ...reseller,
  credit: 40,
  assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
  limits: { activation: 60, payment: 30 },
}
const scenario = {
  description: 'The initial state of the model.',
  seed: 5,
  clock: noon,
  accounts: { reseller, ana },
}

/**
 * Takes random steps (requests and calls of the control plane), and compares the simulator with the model after each.
 * MODEL_STEPS sets their number, PROXYSIM_SEED the seed.
 */
export async function expectModel(real: Subject): Promise<void> {
  const sequences = fc.commands([steps], { maxCommands: maxLength, size: 'max' })
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      expect(await real.admin('PUT', '/scenario', scenario)).toMatchObject({ status: 200 })
      const model = new Model()
      const { accounts } = (await real.admin('GET', '/scenario')).body as { accounts: Accounts }
      model.load(accounts)
      model.snapshots.clear()
      await expectAgreement(model, real)
      await fc.asyncModelRun(() => ({ model, real }), sequence)
    }),
    { numRuns: Math.ceil((stepCount * 2) / maxLength), seed },
  )
}
