import { buildWorld } from '/work/wt/world/src/scenario/buildWorld.ts'
import { settle } from '/work/wt/world/src/timeline/settle.ts'
const begin = Date.parse('2026-01-15T12:00:00Z')
const year = 365 * 24 * 3600e3
const services: any = {}
const n = Number(process.argv[2] ?? 1), years = Number(process.argv[3] ?? 10)
for (let i = 0; i < n; i++) services[5101 + i] = { client: 11, product: 102 }
const timeline = Object.keys(services).map((id) => ({ after: 'P1D', every: process.argv[4] ?? 'P1D', times: 100000, add: { services: { [id]: { usage: 3 } } } }))
const account = { password: 's', clients: { 11: {} }, products: { 102: { productName: 'Rotating', price: 5, product_type: 'ppr' as const } }, services, timeline }
const world = await buildWorld({ description: 'x', clock: '2026-01-15T12:00:00Z', accounts: { reseller: account } } as any, 'reseller', begin)
for (let r = 0; r < 3; r++) {
  const t = process.cpuUsage()
  const s = settle(world, begin + years * year, [])
  const u = process.cpuUsage(t)
  console.log(s.changes.length, 'changes', ((u.user + u.system) / 1000).toFixed(0), 'ms')
}
