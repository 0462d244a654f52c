// All benchmarks, one after another; writes bench/RESULTS.md.
//   npm run bench            [-- --quick] [--date 2026-11-20]
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accounts } from './accounts/index.ts'
import { floor } from './floor/index.ts'
import { growth } from './growth/index.ts'
import { root } from './lib/build.ts'
import { whole } from './lib/format.ts'
import { memory } from './memory/index.ts'
import { pauses } from './pauses/index.ts'
import { comparePeers } from './peers/index.ts'
import { replicas } from './replicas/index.ts'
import { startup } from './startup/index.ts'
import { sweeping } from './sweep/index.ts'
import { testing } from './tests/index.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, date: { type: 'string' } } })
const { quick = false, date = new Date().toISOString().slice(0, 10) } = values

interface Section {
  title: string
  about: string
  run: (options: { quick: boolean }) => Promise<string>
}

const sections: readonly Section[] = [
  {
    title: 'Floor',
    about:
      '`bench/floor`: five requests to bare `node:http`, which sends the same bytes and does nothing else; to Express as it comes; to the usual express-openapi-validator set-up with both validations on; and to ours: authentication, both validations, the operation, the journal and, with a file, a change that outlives `kill -9`.',
    run: floor,
  },
  {
    title: 'Peers',
    about:
      '`bench/peers`: what else people take for this, each on its best settings, giving our answers as far as it can; bare `node:http` in the same run. Counterfact is not in the registry at present.',
    run: comparePeers,
  },
  {
    title: 'Growth',
    about:
      '`bench/growth`: one world, kept in a file, with more and more services. Shares are of the world with 10. What was ordered is taken away again before each measurement.',
    run: growth,
  },
  {
    title: 'Pauses',
    about:
      '`bench/pauses`: how long others wait while somebody asks for something large, in a world of 100,000 services that is kept in a file. They are a client that asks every 10 ms. The longest of all repetitions. The goal is 100 ms, for the processor time of a turn of the event loop, collections of garbage in it included: it tells our work from that of other programs, which the waiting does not.',
    run: pauses,
  },
  {
    title: 'Accounts',
    about:
      '`bench/accounts`: so many isolated worlds in one server, kept in a file, each request to another one. Shares are of the server with one.',
    run: accounts,
  },
  {
    title: 'Memory',
    about:
      '`bench/memory`: what is held after many reads, beside Express as it comes, each in a new process; and for each service that is kept.',
    run: memory,
  },
  {
    title: 'Replicas',
    about:
      '`bench/replicas`: one program in memory, and one that shares its state through a Redis on the same machine, which keeps a log of all changes. Rates of the replica are shares of the program in memory.',
    run: replicas,
  },
  {
    title: 'Start',
    about:
      '`bench/startup`: from the start of the process to the end of it, or to the first answer. Node that does nothing is `node -e 0`.',
    run: startup,
  },
  {
    title: 'Sweep',
    about:
      '`bench/sweep`: what a run of `proxysim sweep` takes besides the command itself, the simulator of its own included. The goal is 50 ms.',
    run: sweeping,
  },
  {
    title: 'A test',
    about:
      '`bench/tests`: what a test pays for a world of its own, with `fetch`: an account made, an order, a read, the account deleted. What `fetch` and bare `node:http` take alone; the simulator in the process of the tests; and in another, on a core of its own, as what comes nearest with other tools. Medians; the processor time is the mean of a test, that of the tests and the server together, which other work on the machine hardly alters.',
    run: testing,
  },
]

const parts = [
  '# Results',
  'Written by `npm run bench`. Each server runs alone on one core, the load comes from another; 32 connections that send a request as soon as they have the answer to the one before, where nothing else is said. Ratios are of at least five interleaved repetitions: median (smallest–largest). Figures without a ratio hold for this machine only.',
  `${date} · ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'} · ${Math.round(totalmem() / 2 ** 30)} GB · ${process.platform} · Node ${process.versions.node} · Express ${version('express')} · express-openapi-validator ${version('express-openapi-validator')}${quick ? ' · a quick run, good for nothing but a look' : ''}`,
]
for (const { title, about, run } of sections) {
  const began = performance.now()
  process.stderr.write(`${title} `)
  parts.push(`## ${title}`, about, await run({ quick }))
  process.stderr.write(` ${whole((performance.now() - began) / 1000)} s\n`)
}
const text = `${parts.join('\n\n')}\n`
if (!quick) writeFileSync(fileURLToPath(new URL('RESULTS.md', import.meta.url)), text)
process.stdout.write(text)

function version(name: string): string {
  const manifest = readFileSync(`${root}/node_modules/${name}/package.json`, 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
