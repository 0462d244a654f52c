import { isIPv4 } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64 } from '../../src/lib/base64.ts'
import { findFreeAddress, proxyAddresses } from '../../src/service/addresses.ts'
import { toCents, isMoney, formatMoney, subtract } from '../../src/world/numbers.ts'
import { formatDate, formatDateTime } from '../../src/world/time.ts'
import { nextDueDate } from '../../src/service/billing.ts'
import { billingCycles } from '../../src/service/values.ts'

describe('money', () => {
  it('is exact to the cent, without fractions of cents', () => {
    fc.assert(
      fc.property(fc.nat(1e14), fc.nat(1e14), (a, b) => {
        expect(isMoney(a / 100)).toBe(true)
        expect(toCents(a / 100)).toBe(a)
        expect(formatMoney(a / 100)).toBe(`${Math.floor(a / 100)}.${String(a % 100).padStart(2, '0')}`)
        const rest = subtract(a / 100, Math.min(a, b) / 100)
        expect([toCents(rest), isMoney(rest)]).toEqual([a - Math.min(a, b), true])
        expect(isMoney((Math.min(a, 1e12) + 0.5) / 100)).toBe(false)
      }),
    )
  })

  it.each([-0.01, 1e12 + 0.01, 0.001, 0.1 + 0.2, Number.NaN, Infinity])('%d is not an amount', (usd) => {
    expect(isMoney(usd)).toBe(false)
  })
})

describe('IPv4', () => {
  it('is four numbers up to 255, without leading zeros', () => {
    const part = fc.oneof(fc.nat(300).map(String), fc.constantFrom('', '00', '01', '-1', '1e1', ' 1', 'a'))
    fc.assert(
      fc.property(fc.array(part, { minLength: 3, maxLength: 5 }), (parts) => {
        const good =
          parts.length === 4 && parts.every((one) => /^\d+$/.test(one) && String(Number(one)) === one)
        expect(isIPv4(parts.join('.'))).toBe(good && parts.every((one) => Number(one) <= 255))
      }),
    )
  })

  it('is generated from the ranges reserved for benchmarks, without duplicates, the same for the same seed', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 2000 }), (seed, count) => {
        const made = proxyAddresses(count, [seed])
        expect(new Set(made).size).toBe(count)
        expect(made.filter((ip) => !isIPv4(ip) || !ip.startsWith('198.18.'))).toEqual([])
        expect(proxyAddresses(count, [seed])).toEqual(made)
        expect(proxyAddresses(count + 1, [seed]).slice(0, count)).toEqual(made)
      }),
      { numRuns: 30 },
    )
  })

  it('differs for each index, whatever the seed', () => {
    const at = (seed: number, index: number) => proxyAddresses(1, [seed], index)[0]
    fc.assert(
      fc.property(fc.integer(), fc.nat(1e9), fc.nat(65_534), (seed, index, step) => {
        expect(at(seed, index)).not.toBe(at(seed, index + step + 1))
        expect(proxyAddresses(3, [seed], index)).toEqual([0, 1, 2].map((i) => at(seed, index + i)))
      }),
    )
  })

  it('is generated from 65,536 addresses', () => {
    expect(new Set(proxyAddresses(70_000, [1])).size).toBe(65_536)
    expect(findFreeAddress([1], () => false)).toMatch(/^198\.19\./)
    expect(findFreeAddress([1], () => true)).toBeUndefined()
  })
})

describe('base64', () => {
  it('round-trips any text, and accepts no other encoding of it', () => {
    const text = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString())
    fc.assert(
      fc.property(text, (one) => {
        const encoded = Buffer.from(one).toString('base64')
        expect(fromBase64(encoded)).toBe(one)
        expect(fromBase64(`${encoded}=`)).toBeUndefined()
        expect(fromBase64(`${encoded} `)).toBeUndefined()
      }),
    )
  })
})

describe('dates', () => {
  it.each([
    ['2026-01-31', 'Monthly', '2026-02-28'],
    ['2024-01-31', 'Monthly', '2024-02-29'],
    ['2026-11-30', 'Quarterly', '2027-02-28'],
    ['2026-08-31', 'Semi-Annually', '2027-02-28'],
    ['2024-02-29', 'Annually', '2025-02-28'],
    ['2024-02-29', 'Biennially', '2026-02-28'],
    ['2026-12-15', 'Triennially', '2029-12-15'],
    ['2026-12-15', 'Free', '2027-01-15'],
    ['0050-01-31', 'Monthly', '0050-02-28'],
    ['9899-12-31', 'Triennially', '9902-12-31'],
  ] as const)('%s and one cycle (%s) is %s', (date, cycle, due) => {
    expect(nextDueDate(date, cycle, Date.parse(date), 'UTC')).toBe(due)
  })

  it('due next exist in the calendar, however old the service is', () => {
    const day = fc.date({ min: new Date('0000-01-01'), max: new Date('9899-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(day, day, fc.constantFrom(...billingCycles), (from, at, cycle) => {
        const date = formatDate(from.getTime(), 'UTC')
        const due = nextDueDate(date, cycle, at.getTime(), 'UTC')
        expect(due > formatDate(at.getTime(), 'UTC') && due > date).toBe(true)
        expect(formatDate(Date.parse(due), 'UTC')).toBe(due)
        expect(nextDueDate(date, cycle, Date.parse(due) - 1, 'UTC')).toBe(due)
      }),
      { numRuns: 100 },
    )
  })

  it('are in UTC', () => {
    expect(formatDateTime(Date.parse('2026-01-15T23:59:59.999+00:00'), 'UTC')).toBe('2026-01-15 23:59:59')
    expect(formatDate(Date.parse('2026-01-15T23:59:59-01:00'), 'UTC')).toBe('2026-01-16')
  })
})
