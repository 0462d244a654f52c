import { expect, test } from 'vitest'
import type { JournalEntry, RequestPage } from '../../src/contract/shapes.ts'
import { markedPaths, type ContractOperation } from '../../src/contract/Contract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { coverAll } from '../support/coverAll.ts'
import { reseller, scenarioWith } from '../support/scenario.ts'
import { start } from '../support/start.ts'

/*
 * The extensions in the contract (`x-changes-state` and the like) must agree with what the operations do.
 */
const { operations } = await loadContract()
const findIds = (marked: (operation: ContractOperation) => boolean) =>
  operations
    .filter(marked)
    .map(({ operationId }) => operationId)
    .toSorted()

/** The parts of an operation's successful responses that have a mark */
const markedInResponses = ({ responses }: ContractOperation, mark: string) =>
  markedPaths(
    Object.entries(responses).flatMap(([status, { content }]) =>
      status.startsWith('2') ? Object.values(content) : [],
    ),
    mark,
  )

test('operations that change state, and that cost money', async () => {
  const simulator = await start({ scenario: scenarioWith() })
  await coverAll(simulator)
  const { json } = await simulator.admin<RequestPage>('GET', '/requests')
  const doing = (does: (entry: JournalEntry) => boolean) =>
    [...new Set(json.requests.filter(does).map(({ operation }) => String(operation)))].toSorted()
  expect(doing(({ change }) => change !== null)).toEqual(findIds(({ changesState }) => changesState))
  expect(doing(({ change }) => Object.hasOwn(change ?? {}, 'credit'))).toEqual(
    findIds(({ costsMoney }) => costsMoney),
  )
})

test('operations that return a password, and those that accept one', async () => {
  const { call } = await start({ scenario: scenarioWith() })
  const passwords = [reseller.services[5001].password, reseller.services[5002].password]
  const showing = new Set<string>()
  for (const { operationId, method, path } of operations) {
    if (method !== 'GET') continue
    for (const id of ['5001', '5002'])
      for (const typel of ['http-auth', 'ppr-http']) {
        const filled = path
          .replace('{typel}', typel)
          .replace('{formatl}', 'txt')
          .replace('{field}', 'price')
          .replace('{pid}', '101')
          .replace(/\{\w+\}/, id)
        const { text } = await call('GET', filled)
        if (passwords.some((one) => text.includes(JSON.stringify(one).slice(1, -1)) || text.includes(one)))
          showing.add(operationId)
      }
  }
  expect([...showing].toSorted()).toEqual(
    findIds((operation) => markedInResponses(operation, 'x-secret').length > 0),
  )
  expect(operations.filter(({ secrets }) => secrets.length > 0)).toMatchObject([
    { operationId: 'updateService', secrets: ['password'] },
  ])
})

test('every operation has the errors of authentication', () => {
  const every = operations.map(({ cases }) => cases.map(({ name }) => name))
  const common = (every[0] ?? []).filter((name) => every.every((names) => names.includes(name)))
  for (const { cases } of operations)
    expect(cases.filter(({ isAuthentication }) => isAuthentication).map(({ name }) => name)).toEqual(common)
})
