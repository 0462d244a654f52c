import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolder } from '../support/start.ts'
import { expectModel } from './support/expectModel.ts'
import { Subject } from './support/Subject.ts'

const timeout = 240_000 + Number(process.env['MODEL_STEPS'] ?? 0) * 200

test.each([
  ['in memory', () => ({})],
  ['with a file', () => ({ db: join(createFolder(), 'db.json') })],
])('%s, any sequence of steps leads to what the model says', { timeout }, async (_where, options) => {
  const real = await Subject.start(options())
  onTestFinished(() => real.close())
  await expect(expectModel(real)).resolves.toBeUndefined()
})
