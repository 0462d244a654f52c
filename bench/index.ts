// Benchmarks, one after another. All of them write bench/RESULTS.md; some, by name, only print.
//   npm run bench [-- floor growth… --quick --only order --profile --date 2026-11-20]
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accounts } from './accounts.ts'
import { floor } from './floor.ts'
import { growth } from './growth.ts'
import { root } from './lib/build.ts'
import { whole } from './lib/format.ts'
import { cache } from './lib/temporary.ts'
import { peers } from './peers/index.ts'
import { replicas } from './replicas.ts'
import { startup } from './startup.ts'

const benchmarks = { floor, peers, growth, accounts, replicas, startup }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    profile: { type: 'boolean', default: false },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
})
const { quick, only } = values
const profiles = join(cache, 'profiles')
if (values.profile) mkdirSync(profiles, { recursive: true })

const parts = [
  '# Results',
  'Written by `npm run bench`. Each server runs alone on one core, the load comes from another: 32 connections that each send a request as soon as they have the response to the one before, unless something else is said. Ratios are of at least five interleaved repetitions: median (smallest–largest). Figures without a ratio hold for this machine only.',
  `${values.date} · commit ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()} · ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'} · ${Math.round(totalmem() / 2 ** 30)} GB · ${process.platform} · Node ${process.versions.node} · Express ${version('express')} · express-openapi-validator ${version('express-openapi-validator')}${quick ? ' · a quick run, good for nothing but a look' : ''}`,
]
for (const [name, { title, description, run }] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const began = performance.now()
  process.stderr.write(`${title} `)
  parts.push(`## ${title}`, description, await run({ quick, only, ...(values.profile && { profiles }) }))
  process.stderr.write(` ${whole((performance.now() - began) / 1000)} s\n`)
}
const text = `${parts.join('\n\n')}\n`
if (!quick && positionals.length === 0)
  writeFileSync(fileURLToPath(new URL('RESULTS.md', import.meta.url)), text)
process.stdout.write(text)
if (values.profile) process.stderr.write(`Profiles: ${profiles}\n`)

function version(name: string): string {
  const manifest = readFileSync(`${root}/node_modules/${name}/package.json`, 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
