import * as fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { hasRedis, RedisServer } from '../support/redis.ts'
import { agree, noteKnown } from './model/agree.ts'
import { counts } from './model/command.ts'
import { commands } from './model/commands.ts'
import type { Model } from './model/Model.ts'
import { begin, scenario } from './model/Rules.ts'
import { Subject } from './model/Subject.ts'

/** Sequences of up to `length` commands; PROXYSIM_RUNS=1000 for a long trial. */
const runs = Number(process.env['PROXYSIM_RUNS'] ?? 40)
const length = 60

const folder = mkdtempSync(join(tmpdir(), 'proxysim-model-'))
const file = join(folder, 'model.json')
beforeAll(() => {
  writeFileSync(file, JSON.stringify({ description: 'What the model begins with.', ...scenario }))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** @returns how many steps were tried */
async function trial(real: Subject, numRuns: number): Promise<number> {
  const sequences = fc.commands(commands, { maxCommands: length, size: 'max' })
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      await real.admin('PUT', '/scenario', { description: 'What the model begins with.', ...scenario })
      const model: Model = {
        rules: begin(),
        original: begin(),
        snapshots: [],
        marks: [],
        seen: { world: undefined, request: 0 },
      }
      await noteKnown(model, real)
      await agree(model, real)
      await fc.asyncModelRun(() => ({ model, real }), sequence)
    }),
    { numRuns },
  )
  if (process.env['PROXYSIM_RUNS'])
    process.stdout.write(`${JSON.stringify({ ...counts, requests: real.asked })}\n`)
  const { steps } = counts
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0
  return steps
}

test('server and naive rules agree after every step of any sequence', {
  timeout: 60_000 + runs * 5000,
}, async () => {
  const real = await Subject.start({ scenario: file, db: join(folder, 'db.json') })
  onTestFinished(() => real.close())
  expect(await trial(real, runs)).toBeGreaterThan(runs)
})

test.skipIf(!hasRedis)(
  'three replicas and naive rules agree after every step, whichever replica is asked',
  {
    timeout: 60_000 + runs * 5000,
  },
  async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const real = await Subject.start({ scenario: file, store: redis.url }, 3)
    onTestFinished(() => real.close())
    const sequences = Math.ceil(runs / 4)
    expect(await trial(real, sequences)).toBeGreaterThan(sequences)
  },
)
