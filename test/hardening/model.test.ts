import * as fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
let real: Subject

beforeAll(async () => {
  const file = join(folder, 'model.json')
  writeFileSync(file, JSON.stringify({ description: 'What the model begins with.', ...scenario }))
  real = await Subject.start({ scenario: file, db: join(folder, 'db.json') })
})
afterAll(async () => {
  await real.close()
  rmSync(folder, { recursive: true, force: true })
})

test('server and reference model agree after every step of any sequence', {
  timeout: 60_000 + runs * 5000,
}, async ({ annotate }) => {
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
    { numRuns: runs },
  )
  expect(counts.steps).toBeGreaterThan(runs)
  const figures = JSON.stringify({ ...counts, requests: real.asked })
  await annotate(figures)
  if (process.env['PROXYSIM_RUNS']) process.stdout.write(`${figures}\n`)
})
