import { startSimulator } from 'proxy-reselling-simulator'

await using sim = await startSimulator({ scenario: 'low-funds' }) // closed at the end of the scope
await sim.load('ip-conflict')
await sim.patch({ credit: 0 })
await sim.clock.advance('PT1H')
await sim.fault({ operation: 'updateService', respond: 'ip-already-bound', times: 1 })
const { requests } = await sim.requests({ operation: 'orderService' })
const { percent } = await sim.coverage()
console.log(`${requests.length} orders, ${percent} % of the contract`)
await sim.reset()
