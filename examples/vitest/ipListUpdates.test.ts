import { expect, test } from 'vitest'
import { account, call } from './account.ts'

test('an IP list can be updated again after the time that the 429 names', async () => {
  const update = () => call('PUT', '/api/service/5001', { update_list: 'true' })
  expect((await update()).status).toBe(200)

  const refused = await update()
  expect(refused.status).toBe(429)
  const { error } = (await refused.json()) as { error: string }
  const [, date, time] = /Next update possible: (\S+) (\S+)$/.exec(error) ?? []

  await account.clock.set(`${date}T${time}Z`) // only this account's clock
  expect((await update()).status).toBe(200)
})
