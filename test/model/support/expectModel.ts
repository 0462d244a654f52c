import * as fc from 'fast-check'
import { expect } from 'vitest'
import { type Accounts, agree, Model } from './Model.ts'
import { steps } from './steps.ts'
import type { Subject } from './Subject.ts'

const wanted = Number(process.env['MODEL_STEPS'] ?? 300)
const seed = Number(process.env['MODEL_SEED'] ?? 31)
const longest = 60

const sticky = {
  ttl: 5,
  sessions: [
    { server: 'us1', session: 'abc' },
    { server: 'de2', session: 'abc' },
  ],
}
const reseller = {
  password: 'se:cret',
  credit: 100,
  clients: { 11: { email: 'ana@example.com' }, 12: { email: 'ben@example.com' } },
  products: {
    101: { productName: 'Static', price: 0.1, product_type: 'fpr', ip_count: 3, geo: ['US', 'DE'] },
    102: { productName: 'Dear', price: 19.99, product_type: 'fpr', created_at: '2025-02-01' },
    103: { productName: 'Hidden', price: 1.15, product_type: 'fpr', product_hidden: true },
    201: { productName: 'Rotating', price: 35, product_type: 'ppr', created_at: '2025-01-01' },
    202: { productName: 'Free', price: 0, product_type: 'ppr' },
  },
  services: {
    5001: {
      client: 11,
      product: 101,
      bindedip: '192.0.2.1',
      ips: ['198.51.100.1'],
      errors: ['198.51.100.1'],
    },
    5002: { client: 12, product: 102, bindedip: '192.0.2.2' },
    5003: {
      client: 12,
      product: 201,
      usage: { limit: 5, stats: { '2026-01-14': 1.5, '2026-01-13': 80 } },
      sticky,
    },
    5004: { client: 11, product: 201, status: 'Suspended', sticky: { ...sticky, ttl: 1 } },
    5005: { client: 99, product: 101, bindedip: '192.0.2.4' },
  },
  invoices: { 9001: { serviceid: 5001, status: 'Paid' }, 9002: { serviceid: 5003, status: 'Unpaid' } },
  limits: { updateListInterval: 600 },
}
const ana = {
  ...reseller,
  credit: 40,
  assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
  limits: { activation: 60, payment: 30 },
}
const scenario = {
  description: 'What the model begins with.',
  seed: 5,
  clock: '2026-01-15T12:00:00Z',
  accounts: { reseller, ana },
}

/**
 * Takes random steps, of requests and of the control plane, and looks after each whether the simulator is what the model
 * says. MODEL_STEPS and MODEL_SEED set how many, and which.
 */
export async function expectModel(real: Subject): Promise<void> {
  const sequences = fc.commands([steps], { maxCommands: longest, size: 'max' })
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      expect(await real.admin('PUT', '/scenario', scenario)).toMatchObject({ status: 200 })
      const model = new Model()
      const { accounts } = (await real.admin('GET', '/scenario')).body as { accounts: Accounts }
      model.load(accounts)
      model.snapshots.clear()
      await agree(model, real)
      await fc.asyncModelRun(() => ({ model, real }), sequence)
    }),
    { numRuns: Math.ceil((wanted * 2) / longest), seed },
  )
}
