import { describe, expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { cellName, type Call } from '../../src/lab/runs/Cell.ts'
import type { ContractOperation } from '../../src/contract/Contract.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import type { TracedCall } from '../../src/lab/runs/Injector.ts'
import { extension, Hangs } from '../../src/lab/runs/limits.ts'
import {
  planFirst,
  planLasting,
  planLater,
  planRecovery,
  planRerun,
  type PlanSource,
} from '../../src/lab/runs/plan.ts'
import { crash, genericFaults, presetsFor, type FaultPreset } from '../../src/faults/presets.ts'
import { emptyWorld } from '../../src/service/defaults.ts'
import { worldFromJson } from '../../src/world/change.ts'

const contract = await loadContract()
const world = worldFromJson(emptyWorld('secret', 1, { offset: 0 }))
const preset = (name: string): FaultPreset =>
  [...presetsFor(contract.operation('orderService') as ContractOperation), crash].find(
    (one) => one.name === name,
  ) as FaultPreset

/**
 * Creates the calls of a run. `!` marks the call on which the fault triggered, `~` one with an earlier state, `2:` one of the second
 * run; `=x` is a part of its body. An order changes the account.
 */
function parseCalls(text: string): Call[] {
  const counts = new Map<string, number>()
  let changes: Call['changes'] = []
  return text.split(' ').map((word): Call => {
    const [, run = '', operation = ''] = /^(2:)?[!~]*(\w+)/.exec(word) ?? []
    const number = (counts.get(run + operation) ?? 0) + 1
    counts.set(run + operation, number)
    const request = word.replace(/^[!~2:]+|\+$/g, '')
    const before = changes
    const isRefused = word.includes('!') && !word.endsWith('+')
    if (operation === 'orderService' && !isRefused) changes = [...changes, { operation, request }]
    return {
      operation,
      number,
      run: run === '' ? 1 : 2,
      request,
      changes: before,
      hasEarlierState: word.includes('~'),
      injected: word.includes('!') ? 0 : undefined,
    }
  })
}

const source = (baseline: string, selection: Partial<PlanSource['selection']> = {}): PlanSource => ({
  selection: { only: [], faults: [], cells: [], rerun: true, thorough: false, ...selection },
  contract,
  world,
  baseline: parseCalls(baseline),
})
const first = (operation: string, fault: string, calls: string) => ({
  cell: { stage: 'first', operation, call: 1, fault: preset(fault) } as const,
  calls: parseCalls(calls),
})
const bulk = 'listServices orderService ~listServices orderService ~listServices orderService'

describe('later calls', () => {
  test.each<[string, string, string[]]>([
    ['one call', 'orderService', []],
    [
      'a loop',
      bulk,
      [
        'listServices#2 503',
        'listServices#3 503',
        'listServices#3 stale',
        'orderService#2 503',
        'orderService#2 lost',
        'orderService#3 503',
        'orderService#3 lost',
      ],
    ],
    [
      'a long loop',
      Array(50).fill('orderService').join(' '),
      ['2', '50'].flatMap((n) => [`orderService#${n} 503`, `orderService#${n} lost`]),
    ],
    ['the only read after a change', 'orderService ~listServices', []],
  ])('of %s', (_, calls, expected) => {
    expect(planLater(source(calls)).map(cellName)).toEqual(expected)
  })

  test('are narrowed by operation and fault', () => {
    expect(planLater(source(bulk, { only: ['orderService'], faults: ['lost'] })).map(cellName)).toEqual([
      'orderService#2 lost',
      'orderService#3 lost',
    ])
  })
})

describe('lasting faults', () => {
  test('are tried where the run with the fault on one call called the operation again', () => {
    const plan = planLasting(source('orderService getService getService'), [
      first('orderService', '503', '!orderService'),
      first('getService', '503', 'orderService !getService getService getService'),
      first('getService', 'too-many-requests', 'orderService !getService'),
      {
        ...first('getService', '503', 'orderService getService !getService getService'),
        cell: { stage: 'later', operation: 'getService', call: 2, fault: preset('503') },
      },
    ])
    expect(plan.map(cellName)).toEqual([
      'getService 503 lasting',
      'getService#2 503 lasting',
      'getService#2 too-many-requests lasting',
    ])
  })
})

describe('second faults in a recovery', () => {
  test.each<[string, string, ReturnType<typeof first>[], string[]]>([
    ['a program that stops', 'orderService', [first('orderService', 'lost', '!orderService+')], []],
    [
      'a look-up, once for executed faults and once for others',
      'listServices orderService',
      [
        first('orderService', '503', 'listServices !orderService listServices listServices'),
        first('orderService', 'reset', 'listServices !orderService listServices'),
        first('orderService', 'lost', 'listServices !orderService+ ~listServices'),
        first('orderService', 'cut', 'listServices !orderService+ ~listServices'),
      ],
      [
        'orderService 503, then listServices+1 503',
        'orderService 503, then listServices+2 503',
        'orderService lost, then listServices+1 503',
        'orderService lost, then listServices+1 stale',
      ],
    ],
    [
      'a look-up that equals the next regular list',
      bulk,
      [
        first(
          'orderService',
          'lost',
          'listServices !orderService+ ~listServices ~listServices orderService ~listServices orderService',
        ),
      ],
      [1, 2].flatMap((n) => [
        `orderService lost, then listServices+${n} 503`,
        `orderService lost, then listServices+${n} stale`,
      ]),
    ],
    [
      'a retry of a refused order',
      'orderService',
      [first('orderService', '503', '!orderService orderService')],
      ['orderService 503, then orderService+1 lost'],
    ],
    [
      'no call whose body varies without faults, nor the calls after it',
      'listServices orderService=a ~listServices|listServices orderService=b ~listServices',
      [first('listServices', '503', '!listServices orderService=c ~listServices')],
      [],
    ],
    [
      'a retry of an order whose body varies without faults',
      'orderService=a|orderService=b',
      [first('orderService', '503', '!orderService=c orderService=d')],
      ['orderService 503, then orderService+1 lost'],
    ],
  ])('of %s', (_, runs, ended, expected) => {
    const baselines = runs.split('|').map(parseCalls)
    expect(planRecovery(source(runs.split('|')[0] ?? ''), ended, baselines).map(cellName)).toEqual(expected)
  })
})

test('each state that failed runs left gets a fault in the second run, ten at most', () => {
  const { cell } = first('orderService', 'lost', '!orderService+')
  const rerunCalls = parseCalls('!orderService+ 2:listServices 2:orderService').slice(1)
  const names = planRerun(
    source('orderService'),
    Array.from({ length: 12 }, () => ({ cell, rerunCalls })),
  ).map(cellName)
  expect(names).toHaveLength(20)
  expect(names.slice(0, 2)).toEqual([
    'orderService lost, rerun with listServices 503',
    'orderService lost, rerun with orderService lost',
  ])
})

describe('a thorough plan', () => {
  const thorough = (baseline: string) => source(baseline, { thorough: true })
  /** The names of all faults that a sweep with reruns tries on an operation. */
  const allFaults = (operation: string): string[] => [
    ...presetsFor(contract.operation(operation) as ContractOperation)
      .filter(({ optIn }) => !optIn)
      .map(({ name }) => name),
    'crash',
  ]
  const reads = allFaults('listServices').filter((name) => name !== 'stale')

  test('tries all faults on the second and the last call, and a few on each call between them', () => {
    const loop = Array(4).fill('~listServices orderService').join(' ')
    const names = (operation: string, second: string[], third: string[]): string[] => [
      ...second.map((name) => `${operation}#2 ${name}`),
      ...third.map((name) => `${operation}#3 ${name}`),
      ...second.map((name) => `${operation}#4 ${name}`),
    ]
    expect(planLater(thorough(loop)).map(cellName)).toEqual([
      ...names('listServices', reads, ['503']),
      ...[2, 3, 4].map((n) => `listServices#${n} stale`),
      ...names('orderService', allFaults('orderService'), ['503', 'lost']),
    ])
  })

  const planned = (baseline: string, ended: ReturnType<typeof first>[]): string[] =>
    planRecovery(thorough(baseline), ended, [parseCalls(baseline)]).map(cellName)

  test('tries all faults on recovery calls, after each kind of first fault', () => {
    const seconds = (name: string) => `orderService ${name}, then listServices+1`
    expect(
      planned('orderService', [
        ...['insufficient-funds', '503', 'bad-gateway', 'reset', 'empty'].map((name) =>
          first('orderService', name, '!orderService listServices'),
        ),
        ...['lost', 'cut', 'gateway-timeout'].map((name) =>
          first('orderService', name, '!orderService+ ~listServices'),
        ),
      ]),
    ).toEqual([
      ...['insufficient-funds', '503', 'reset'].flatMap((name) =>
        reads.map((second) => `${seconds(name)} ${second}`),
      ),
      ...['lost', 'gateway-timeout'].flatMap((name) =>
        allFaults('listServices').map((second) => `${seconds(name)} ${second}`),
      ),
    ])
  })
})

test.each([
  ['orderService lost', ['orderService lost']],
  ['orderService#3 gateway-timeout', ['orderService#3 gateway-timeout']],
  [
    'listServices#2 too-many-requests lasting',
    ['listServices#2 503', 'listServices#2 too-many-requests', 'listServices#2 too-many-requests lasting'],
  ],
  [
    'orderService cut, then listServices+1 empty',
    ['orderService cut', 'orderService cut, then listServices+1 empty'],
  ],
  ['orderService lost, rerun with listServices cut', ['orderService lost']],
])('a named cell %s is planned with those that it rests on', (cell, expected) => {
  const named = source(bulk, { cells: [cell], thorough: true })
  const ended = [
    first('orderService', 'lost', 'listServices !orderService+ ~listServices'),
    first('orderService', 'cut', 'listServices !orderService+ ~listServices ~listServices'),
  ]
  const cells = [
    ...planFirst(named),
    ...planLater(named),
    ...planLasting(named, []),
    ...planRecovery(named, ended, [parseCalls(bulk)]),
  ]
  expect(cells.map(cellName).toSorted()).toEqual(expected.toSorted())
})

describe('the time limit of a run', () => {
  /** Calls by the time at which they ended: `503@3` got a fault, `ok@4` didn't, `503@` is still waiting; `listServices=ok@4`. */
  const extensionAfter = (text: string, run = 1): number => {
    const calls = text.split(' ').map((word): TracedCall => {
      const [, number = '1', operation = 'getCredit', name = '', at = ''] =
        /^(?:(\d):)?(?:(\w+)=)?([\w-]+)@(\d*)$/.exec(word) ?? []
      const [call] = parseCalls(operation) as [Call]
      const fault = genericFaults.find((one) => one.name === name)
      const record = at === '' ? undefined : ({ at: Number(at) } as JournalRecord)
      return { ...call, run: Number(number), fault, ...(record && { record }) }
    })
    return extension(calls, run, 10_000)
  }
  test.each([
    ['a failure as the last response', '503@3', 60_000],
    ['a failure of a call that was sent earlier', '503@5 ok@4', 60_000],
    ['a lost response', 'ok@1 lost@2', 60_000],
    ['a failure, while the next call waits', '503@3 ok@', 60_000],
    ['a good response after a failure', '503@3 ok@4', 0],
    ['a failure, while the client looks up', '503@3 listServices=ok@4', 60_000],
    ['a failure that was repeated, and a look-up', '503@3 listServices=503@4 ok@5 listServices=ok@6', 0],
    ['a stale response', 'stale@3', 0],
    ['a slow response', 'slow@3', 0],
    ['a failure in the run before', '503@3 2:ok@9', 0, 2],
    ['a failure in the second run', 'ok@3 2:503@9', 60_000, 2],
  ])('is extended, or not, after %s', (_, calls, expected, run = 1) => {
    expect(extensionAfter(calls, run)).toBe(expected)
  })

  test('three hangs with the same last request leave out the rest of the operation', () => {
    const hangs = new Hangs()
    const hang = (operation: string, calls: string) => hangs.add(operation, parseCalls(calls))
    for (const last of ['getService=1', 'getService=2', 'getService=1'])
      hang('orderService', `orderService ${last}`)
    hang('listServices', 'getService=1')
    expect(hangs.givenUp).toEqual([])
    hang('orderService', 'orderService getService=1 2:orderService')
    expect([hangs.givenUp, hangs.isGivenUp('listServices')]).toEqual([['orderService'], false])
  })
})
