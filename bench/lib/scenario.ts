import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { login, password, serviceIds } from './Workload.ts'

/**
 * Writes a scenario with 20 products, 2,000 services, and more credit than any benchmark can spend.
 * @returns the file's path
 */
export function writeScenario(folder: string): string {
  const document = {
    description: 'A world for benchmarks.',
    seed: 1,
    accounts: {
      [login]: {
        password,
        credit: 1e12,
        clients: { 11: { email: 'ana@example.com' } },
        products: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [101 + i, product(i)])),
        services: Object.fromEntries(serviceIds.map((id) => [id, service(id)])),
      },
    },
  }
  const file = join(folder, 'bench.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}

function service(id: number): object {
  const first = id === serviceIds[0]
  return { client: 11, product: 101, regdate: '2026-01-02', bindedip: first ? '192.0.2.10' : '' }
}

function product(i: number): object {
  return {
    productName: `Static ${i + 1}`,
    price: 19.99,
    groupId: 1,
    groupName: 'Static',
    created_at: '2025-01-02',
    product_type: 'fpr',
    ip_count: 10,
    geo: ['US', 'DE'],
  }
}
