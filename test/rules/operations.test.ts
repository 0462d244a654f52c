import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { handlers } from '../../src/http/api.ts'
import { refuseWith, type Refuse } from '../../src/service/refuse.ts'

test('an operation that uses the time to read says that its response depends on it', async () => {
  const { operations } = await loadContract()
  const using = operations.filter(({ operationId, changesState }) => {
    const { run, dependsOnTime } = handlers[operationId] ?? {}
    return !changesState && run?.length === 3 && dependsOnTime !== true
  })
  expect(using).toEqual([])
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
