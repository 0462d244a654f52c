import { expect, onTestFinished, test } from 'vitest'
import { expectModel } from '../../model/support/expectModel.ts'
import { Subject } from '../../model/support/Subject.ts'
import { hasRedis, RedisServer } from '../../support/redis.ts'

const timeout = 60_000 + Number(process.env['MODEL_STEPS'] ?? 0) * 200

test.skipIf(!hasRedis)(
  'two replicas on one Redis behave like the model, whichever serves a request',
  { timeout },
  async () => {
    const redis = await RedisServer.startForTest()
    const real = await Subject.start({ store: redis.url }, 2)
    onTestFinished(() => real.close())
    await expect(expectModel(real)).resolves.toBeUndefined()
  },
)
