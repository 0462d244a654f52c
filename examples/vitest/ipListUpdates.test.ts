import { expect, test } from 'vitest'
import { account, ask } from './account.ts'

test('an IP list can be updated again when the time of the 429 has come', async () => {
  const update = () => ask('PUT', '/api/service/5001', { update_list: 'true' })
  expect((await update()).status).toBe(200)

  const { error } = (await (await update()).json()) as { error: string }
  expect(error).toMatch(
    /^Too Many Attempts \(updateList\)\. Next update possible: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  )

  await account.clock.advance('PT1H') // this account's clock alone
  expect((await update()).status).toBe(200)
})
