import { expect, test } from 'vitest'
import { responseName } from '../../src/journal/Coverage.ts'
import { Journal } from '../../src/journal/Journal.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'

function record(id: number, account: string): JournalRecord {
  return { id, account, requestHeaders: {} } as JournalRecord
}

const kept = ({ records, total, dropped }: Journal) => ({
  ids: records.map(({ id }) => id),
  total,
  dropped,
})

test('the journal keeps as many requests as it may, and counts what it dropped', () => {
  const journal = new Journal(3)
  for (let id = 1; id <= 5; id++) journal.add(record(id, id % 2 ? 'odd' : 'even'))
  expect(kept(journal)).toEqual({ ids: [3, 4, 5], total: 5, dropped: 2 })
  journal.clear('odd')
  expect(kept(journal)).toEqual({ ids: [4], total: 3, dropped: 2 })
  for (let id = 6; id <= 8; id++) journal.add(record(id, 'odd'))
  expect(kept(journal)).toEqual({ ids: [6, 7, 8], total: 6, dropped: 3 })
  journal.clear()
  expect(kept(journal)).toEqual({ ids: [], total: 0, dropped: 0 })
  const none = new Journal(0)
  none.add(record(1, 'odd'))
  expect(kept(none)).toEqual({ ids: [], total: 1, dropped: 1 })
})

test.each([
  [{ status: 200, case: null, forced: false }, 'getCredit 200 '],
  [{ status: 422, case: 'unprocessable', forced: false }, 'getCredit 422 unprocessable'],
  [{ status: 422, case: 'unprocessable', forced: true }, 'getCredit 422 unprocessable'],
  [{ status: 200, case: null, forced: true }, ''],
  [{ status: null, case: null, forced: true }, ''],
])('%j counts as %j', (answered, name) => {
  expect(responseName({ operation: 'getCredit', ...answered })).toBe(name)
})
