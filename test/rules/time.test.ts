import { describe, expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { nearest, unknownName } from '../../src/lib/nearest.ts'
import {
  addDuration,
  clockAt,
  formatDate,
  dateTimeRoundedUp,
  isPast,
  isRealDate,
  lastInstant,
  parseDateTime,
  parseInstant,
  getAccountTime,
} from '../../src/world/time.ts'
import { nextDueDate } from '../../src/service/billing.ts'
import type { BillingCycle } from '../../src/service/values.ts'

const at = (text: string): number => Date.parse(text)
const noon = at('2026-01-15T12:00:00Z')

describe('time', () => {
  test.each([
    [false, 1, 60_000],
    [false, 60, 3_600_000],
    [false, 0.5, 30_000],
    [true, 1, 0],
    [true, 60, 0],
  ])('a clock, frozen: %s, at rate %d, has moved on after a minute', (frozen, rate, moved) => {
    const clock = clockAt(noon, frozen, 5_000_000, rate)
    expect(getAccountTime(clock, 5_000_000)).toBe(noon)
    expect(getAccountTime(clock, 5_060_000)).toBe(noon + moved)
    expect(getAccountTime(clock, 9e15)).toBe(frozen ? noon : lastInstant)
    const slack = frozen ? 0 : 1000 * rate // a second of real time
    expect([isPast(clock, noon - slack, noon), isPast(clock, noon - slack - 1, noon)]).toEqual([false, true])
    expect(Object.keys(clock)).toEqual([
      frozen ? 'frozen' : 'offset',
      ...(rate === 1 ? [] : frozen ? ['rate'] : ['since', 'rate']),
    ])
  })

  test.each<[date: string, cycle: BillingCycle, now: string, due: string]>([
    ['2025-12-15', 'Monthly', '2026-01-15T00:00:00Z', '2026-02-15'],
    ['2000-02-29', 'Annually', '2026-01-15T00:00:00Z', '2026-02-28'],
  ])('what is ordered on %s and paid %s is due, on %s, on %s', (date, cycle, now, due) => {
    expect(nextDueDate(date, cycle, at(now), 'UTC')).toBe(due)
  })

  test.each([
    ['UTC', '2026-03-29T00:59:59.500Z', '2026-03-29 01:00:00'],
    ['Europe/Berlin', '2026-03-29T00:59:59.500Z', '2026-03-29 03:00:00'],
    ['America/New_York', '2026-01-15T00:30:00Z', '2026-01-14 19:30:00'],
    ['Asia/Kolkata', '2026-01-15T18:30:00Z', '2026-01-16 00:00:00'],
    ['Pacific/Auckland', '2026-12-31T11:00:00Z', '2027-01-01 00:00:00'],
  ])('in %s, %s is %s', (zone, instant, text) => {
    expect(dateTimeRoundedUp(Date.parse(instant), zone)).toBe(text)
    expect(formatDate(Math.ceil(Date.parse(instant) / 1000) * 1000, zone)).toBe(text.slice(0, 10))
    expect(Math.abs(parseDateTime(text, zone) - Date.parse(instant))).toBeLessThan(1000)
  })

  test.each([
    ['2026-02-28', true],
    ['2026-02-29', false],
    ['2026-1-15', false],
    ['12026-02-28', false],
    ['2026-02-28T', false],
  ])('%s is a date: %s', (text, isDate) => expect(isRealDate(text)).toBe(isDate))

  test.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-01-15T13:00+01:00', noon],
    ['2026-01-15T12:00:00.5Z', noon + 500],
    ['9899-12-31T23:59:59.999Z', lastInstant],
    ['9900-01-01T00:00:00Z', undefined],
    ['1969-12-31T23:59:59Z', undefined],
    ['x2026-01-15T12:00:00Z', undefined],
    ['2026-01-15T12:00:00Zx', undefined],
    ['2026-01-15T12:00:00', undefined],
    ['2026-02-30T12:00:00Z', undefined],
  ])('the instant %s is %s', (text, instant) => expect(parseInstant(text)).toBe(instant))

  test.each([
    ['PT1H30M', '2026-01-15T13:30:00.000Z'],
    ['P1Y2M', '2027-03-15T12:00:00.000Z'],
    ['P1W1.5D', '2026-01-24T00:00:00.000Z'],
    ['PT0,5S', '2026-01-15T12:00:00.500Z'],
    ['P7873Y11M16DT11H59M59.999S', '9899-12-31T23:59:59.999Z'],
    ['P7873Y11M16DT12H', undefined],
    ['P', undefined],
    ['PT', undefined],
    ['P1H', undefined],
  ])('noon and %s is %s', (duration, then) => {
    const sum = addDuration(noon, duration)
    expect(sum && new Date(sum).toISOString()).toBe(then)
  })
})

describe('the most similar name', () => {
  test.each([
    ['crdit', ['clients', 'credit'], 'credit'],
    ['Credit', ['credits', 'credit'], 'credit'],
    ['hcek', ['chek'], 'chek'],
    ['chcek', ['check'], 'check'],
    ['xyz', ['abc'], undefined],
    ['ab', ['ac', 'ab1'], 'ac'],
    ['ab', ['bc'], undefined],
    ['5001', ['5002'], undefined],
    ['listv4', ['Listv4'], 'Listv4'],
    [`${'a'.repeat(63)}b`, ['a'.repeat(64)], 'a'.repeat(64)],
    [`${'a'.repeat(64)}b`, ['a'.repeat(65)], undefined],
  ])('to %s, of %j, is %s', (name, names, meant) => expect(nearest(name, names)).toBe(meant))

  test('is suggested; available names are listed only if none is close, at most forty', () => {
    const all = (count: number): string[] => Array.from({ length: count }, (_, i) => `name-${i}`)
    expect(unknownName('fault', 'crdit', ['credit'])).toBe('Unknown fault "crdit". Did you mean "credit"?')
    expect(unknownName('fault', 'x', [])).toBe('Unknown fault "x". Available: none.')
    expect(unknownName('fault', 'x', all(40))).toBe(`Unknown fault "x". Available: ${all(40).join(', ')}.`)
    expect(unknownName('fault', 'x', all(42))).toBe(
      `Unknown fault "x". Available: ${all(40).join(', ')} and 2 more.`,
    )
  })
})

test('at any hour, the date in a zone that a matrix tries differs from that of UTC', async () => {
  const { assumptions } = await loadContract()
  const zones = assumptions.find(({ id }) => id === 'timeZone')?.alternatives ?? []
  const isDifferent = (time: number) => (zone: unknown) =>
    formatDate(time, zone as string) !== formatDate(time, 'UTC')
  for (const day of ['2026-01-15', '2026-01-31', '2026-12-31'])
    for (let hour = 0; hour < 24; hour++)
      expect(zones.some(isDifferent(at(`${day}T00:00:00Z`) + hour * 3_600_000)), `${day} ${hour}`).toBe(true)
})
