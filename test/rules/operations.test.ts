import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { handlers } from '../../src/http/evaluate.ts'
import { refuseWith, type Refuse } from '../../src/service/refuse.ts'
import { cacheableOperations } from '../../src/service/operations/cacheable.ts'

test('cacheable operations only read, and do not use the time', async () => {
  const { operations } = await loadContract()
  const found = operations
    .filter(({ operationId, changesState }) => !changesState && (handlers[operationId]?.length ?? 3) < 3)
    .map(({ operationId }) => operationId)
  expect([...cacheableOperations].toSorted()).toEqual(found.toSorted())
})

test('the name of a refusal is checked by the compiler', () => {
  const refuse: Refuse<'orderService'> = refuseWith
  const tries = [
    () => refuse('insufficient-funds', 'x'),
    // @ts-expect-error a typo
    () => refuse('insuficient-funds', 'x'),
    // @ts-expect-error a case of another operation
    () => refuse('upstream-error', 'x'),
    // @ts-expect-error a typo
    () => refuseWith('client-notfound', 'x'),
  ]
  expect(tries).toHaveLength(4) // the compiler checks them
})
