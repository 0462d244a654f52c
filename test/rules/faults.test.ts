import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { effects } from '../../src/faults/effects/effects.ts'
import { genericFaults, presetsFor } from '../../src/faults/presets.ts'
import { dropModes } from '../../src/faults/effects/drop.ts'
import { faultPhases } from '../../src/world/World.ts'

test('admin.openapi.yaml has the effects, phases and drops of the program', async () => {
  const contract = await adminContract()
  const { schemas } = contract.document['components'] as {
    schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>
  }
  for (const name of ['Fault', 'ActiveFault']) {
    const properties = schemas[name]?.properties ?? {}
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(effects)))
    expect(properties['phase']?.enum).toEqual(faultPhases)
    expect(properties['drop']?.enum).toEqual(dropModes)
  }
})

const executing = ['lost', 'cut', 'gateway-timeout', 'no-response']

describe('named faults', async () => {
  const { operations } = await loadContract()

  test('are the documented cases of the operation, and the general ones', () => {
    const order = operations.filter(({ operationId }) => operationId === 'orderService')
    const documented = order
      .flatMap(({ cases }) => cases)
      .map(({ name }) => ({
        name,
        description: `responds with ${name}`,
        fault: { respond: name },
        onlyWrites: false,
        onlyReads: false,
        optIn: false,
        holds: false,
        isFailure: true,
      }))
    const general = genericFaults.filter(({ name }) => name !== 'stale')
    expect(order.flatMap(presetsFor)).toEqual([...documented, ...general])
    expect(genericFaults.filter((one) => one.onlyWrites).map(({ name }) => name)).toEqual(executing)
    expect(genericFaults.filter((one) => one.optIn).map(({ name }) => name)).toEqual(['slow'])
  })

  test('include faults after execution only for operations that change state', () => {
    const losing = operations.filter((one) => presetsFor(one).some(({ name }) => executing.includes(name)))
    expect(losing).toEqual(operations.filter(({ changesState }) => changesState))
    expect(losing.map(({ operationId }) => operationId)).toContain('resetStickySessions')
    const lagging = operations.filter((one) => presetsFor(one).some(({ name }) => name === 'stale'))
    expect(lagging).toEqual(operations.filter(({ changesState }) => !changesState))
  })

  test('describe their effects', () => {
    expect(genericFaults.map(({ name, description }) => [name, description])).toEqual([
      ['503', 'responds with 503'],
      ['bad-gateway', 'responds with 502'],
      ['too-many-requests', 'responds with 429'],
      ['not-json', 'responds with 200'],
      ['error-200', 'responds with 200'],
      ['reset', 'resets the connection'],
      ['empty', 'closes the connection without a response'],
      ['truncate', 'closes the connection halfway through the response'],
      ['lost', 'resets the connection, after the operation has been executed'],
      ['cut', 'closes the connection halfway through the response, after the operation has been executed'],
      ['gateway-timeout', 'responds with 504, after the operation has been executed'],
      ['no-response', 'waits 5000 ms, then resets the connection, after the operation has been executed'],
      ['stale', 'responds with the records of one change ago'],
      ['slow', 'waits 5000 ms'],
    ])
  })
})

test.each(['docs/sweep.md', 'docs/faults.md'])('named faults are all listed in %s', (file) => {
  const page = readFileSync(file, 'utf8')
  expect(genericFaults.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([])
})

test('docs/faults.md describes every effect', () => {
  const page = readFileSync('docs/faults.md', 'utf8')
  expect(Object.keys(effects).filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([])
})
