import { describe, expect, test } from 'vitest'
import { shippedContract, loadContract } from '../../src/contract/loadContract.ts'
import { verdictOn, type Facts, type Verdict } from '../../src/runs/sweepReport.ts'
import { mishaps } from '../../src/faults/namedFaults.ts'
import { checkWanted, planOf, type Wanted } from '../../src/runs/plan.ts'
import { localState } from '../../src/Simulation.ts'
import { start } from '../support/start.ts'

const fine: Facts = { isStruck: true, harms: 0, exitCode: 0, timedOut: false, isSameEnd: true }

test.each<[Partial<Facts>, Verdict]>([
  [{}, 'survived'],
  [{ isSameEnd: false }, 'swallowed'],
  [{ exitCode: 1, isSameEnd: false }, 'noticed'],
  [{ timedOut: true, exitCode: 143, isSameEnd: false }, 'hang'],
  [{ timedOut: true, exitCode: 0, isSameEnd: false }, 'hang'],
  [{ harms: 1 }, 'harm'],
  [{ harms: 1, isSameEnd: false }, 'harm'],
  [{ harms: 1, exitCode: 1, isSameEnd: false }, 'harm'],
  [{ harms: 1, timedOut: true, exitCode: 137, isSameEnd: false }, 'harm'],
  [{ isStruck: false }, 'not struck'],
  [{ isStruck: false, harms: 1, exitCode: 1, timedOut: true, isSameEnd: false }, 'not struck'],
])('%j is %s', (facts, verdict) => {
  expect(verdictOn({ ...fine, ...facts })).toBe(verdict)
})

describe('the plan', () => {
  const all: Wanted = { only: [], faults: [] }
  const names = async (operation: string, wanted = all, scenario = 'default'): Promise<string[]> => {
    const { simulation } = await start({ scenario })
    const world = [...localState(simulation).accounts.values()][0]
    if (!world) throw new Error('There is no account.')
    return planOf([operation], wanted, simulation.contract, world).map(({ fault }) => fault.name)
  }
  const auth = ['invalid-authorization-header', 'invalid-credentials-format', 'unauthenticated']
  const usual = ['503', 'bad-gateway', 'too-many-requests', 'not-json', 'reset', 'empty', 'truncate']

  test.each([
    ['getCredit', [...auth, ...usual]],
    [
      'orderService',
      [
        ...auth,
        'product-not-found',
        'insufficient-funds',
        'incorrect-posted-data',
        'client-not-found',
        ...usual,
        'lost',
      ],
    ],
    ['rotateStickySession', [...auth, 'unprocessable', ...usual, 'lost']],
    ['changeStickyTtl', [...auth, 'unprocessable', ...usual, 'lost']],
    ['resetStickySessions', [...auth, 'unprocessable', ...usual, 'lost']],
    ['listStickySessions', [...auth, 'upstream-error', ...usual]],
  ])(
    '%s can meet its cases and what breaks connections; lost, if it changes state',
    async (operation, expected) => {
      expect((await names(operation)).toSorted()).toEqual(expected.toSorted())
    },
  )

  test('leaves out cases that cannot occur under the account’s readings', async () => {
    expect(await names('listProductsOrderedBy')).toContain('unprocessable')
    expect(await names('listProductsOrderedBy', all, 'other-readings')).not.toContain('unprocessable')
    expect(await names('changeStickyTtl', all, 'other-readings')).toEqual(['unprocessable', ...usual, 'lost'])
  })

  test('includes slow only if it is named', async () => {
    expect(await names('getCredit', { only: [], faults: ['slow', 'reset'] })).toEqual(['reset', 'slow'])
  })

  test('rejects unknown names and impossible pairs, and lists the valid ones', async () => {
    const contract = await loadContract(shippedContract)
    expect(() => checkWanted({ only: ['order'], faults: [] }, contract)).toThrow(
      /^Unknown operation "order"\. Available: .*orderService/,
    )
    expect(() => checkWanted({ only: [], faults: ['explode'] }, contract)).toThrow(
      /^Unknown fault "explode"\. Available: .*insufficient-funds.*lost, slow\.$/,
    )
    checkWanted({ only: ['orderService'], faults: mishaps.map(({ name }) => name) }, contract)
    await expect(names('getCredit', { only: ['orderService'], faults: [] })).rejects.toThrow(
      "The command doesn't call orderService. It calls: getCredit.",
    )
    await expect(names('getCredit', { only: [], faults: ['lost'] })).rejects.toThrow(
      'None of the operations called (getCredit) can meet lost.',
    )
  })
})
