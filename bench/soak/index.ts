/**
 * Mixed load for minutes: `npx tsx bench/soak/index.ts [--minutes 10] [--clients 4] [--pause 5]`.
 * Prints memory and errors over time; ends with 1 where an answer was wrong or memory went on growing.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { control, mixedLoad, type Counts } from './mixedLoad.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '4' },
    /** Milliseconds between two requests of a client */
    pause: { type: 'string', default: '5' },
  },
})
const duration = Number(values.minutes) * 60_000
/** The state begins anew so often, so that what grows is not the state. */
const round = Math.min(10_000, duration / 12)
/** Of the rounds, so many are for warming up. */
const warmUp = 0.25
/** Megabytes that the last rounds may hold more than the first after warming up */
const allowed = 3

const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
  execArgv: ['--expose-gc', '--import', 'tsx'],
})
const [{ url }] = (await once(server, 'message')) as [{ url: string }]
const counts: Counts = { requests: 0, errors: [] }
const stop = new AbortController()
const load = Array.from({ length: Number(values.clients) }, () =>
  mixedLoad(url, Number(values.pause), counts, stop.signal),
)

const heaps: number[] = []
const began = performance.now()
console.log('   time   requests   errors   heap MB    rss MB')
while (performance.now() - began < duration) {
  await new Promise((resolve) => setTimeout(resolve, round))
  await control(url, 'POST', '/scenarios/default/load')
  // A reset empties the journal: what is measured holds it filled to its bound again.
  const bound = counts.requests + 1500
  while (counts.requests < bound) await new Promise((resolve) => setTimeout(resolve, 50))
  server.send('memory')
  const [{ heapUsed, rss }] = (await once(server, 'message')) as [NodeJS.MemoryUsage]
  heaps.push(heapUsed / 2 ** 20)
  const seconds = Math.round((performance.now() - began) / 1000)
  const row = [
    `${seconds} s`,
    counts.requests,
    counts.errors.length,
    (heapUsed / 2 ** 20).toFixed(1),
    (rss / 2 ** 20).toFixed(1),
  ]
  console.log(row.map((cell) => String(cell).padStart(9)).join(' '))
}
stop.abort()
await Promise.all(load)
server.send('stop')
await once(server, 'exit')

const warm = heaps.slice(Math.floor(heaps.length * warmUp))
const third = Math.max(1, Math.floor(warm.length / 3))
const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length
const growth = mean(warm.slice(-third)) - mean(warm.slice(0, third))
console.log(
  `${counts.requests} requests, ${counts.errors.length} errors, heap after warm-up ${growth >= 0 ? '+' : ''}${growth.toFixed(2)} MB`,
)
for (const error of counts.errors.slice(0, 10)) console.log(error)
if (counts.errors.length || growth > allowed) process.exitCode = 1
