// Runs the benchmarks one after another. A run of all of them writes bench/RESULTS.md; named ones are only printed.
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
import { formatInteger } from './lib/format.ts'
import { cacheFolder } from './lib/temporary.ts'
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
const profiles = join(cacheFolder, 'profiles')
if (values.profile) mkdirSync(profiles, { recursive: true })

const parts = [
  '# Results',
  'Written by `npm run bench`. Each server has one core to itself, and the load generator runs on another. Unless stated otherwise, it uses 32 connections, and each sends a request as soon as it has received the previous response. Ratios are the median (smallest–largest) of at least five interleaved repetitions. Figures without a ratio hold only for this machine.',
  `${values.date} · commit ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()} · ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'} · ${Math.round(totalmem() / 2 ** 30)} GB · ${process.platform} · Node ${process.versions.node} · Express ${version('express')} · express-openapi-validator ${version('express-openapi-validator')}${quick ? ' · a quick run, only for a rough impression' : ''}`,
]
for (const [name, { title, description, run }] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const began = performance.now()
  process.stderr.write(`${title} `)
  parts.push(`## ${title}`, description, await run({ quick, only, ...(values.profile && { profiles }) }))
  process.stderr.write(` ${formatInteger((performance.now() - began) / 1000)} s\n`)
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
