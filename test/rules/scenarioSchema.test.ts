import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { scenarioFileSchema } from '../../scripts/scenarioFileSchema.ts'

type Node = Record<string, unknown>

const root = new URL('../../', import.meta.url)
const published = JSON.parse(readFileSync(new URL('scenario.schema.json', root), 'utf8')) as Node
const schema = z.fromJSONSchema(published)
const accepts = (text: string): boolean => schema.safeParse(parse(text)).success

test('the published schema is up to date', () => {
  expect(published).toEqual(scenarioFileSchema())
})

test.each(readdirSync(new URL('scenarios/', root)))('it accepts scenarios/%s', (file) => {
  expect(accepts(readFileSync(new URL(`scenarios/${file}`, root), 'utf8'))).toBe(true)
})

describe('it accepts', () => {
  test.each([
    ['a description alone', 'description: x'],
    [
      'a patch of one field',
      'description: x\nextends: default\naccounts: { reseller: { services: { 5001: { status: Fraud } } } }',
    ],
    [
      'null for a record',
      'description: x\nextends: default\naccounts: { reseller: { products: { 105: null } } }',
    ],
    [
      'null for a field',
      'description: x\nextends: default\naccounts: { reseller: { services: { 5001: { errors: null } } } }',
    ],
    ['null for an account', 'description: x\nextends: default\naccounts: { reseller: null }'],
    [
      'a fault with any body',
      'description: x\naccounts: { a: { faults: [{ operation: getCredit, respond: { status: 500, body: { a: [null, 1] } } }] } }',
    ],
  ])('%s', (_what, text) => expect(accepts(text)).toBe(true))
})

describe('it refuses', () => {
  test.each([
    ['no description', 'extends: default'],
    ['null for the description', 'description: null'],
    ['an unknown field', 'description: x\nacounts: {}'],
    [
      'a status that there is not',
      'description: x\naccounts: { a: { services: { 5001: { status: Actve } } } }',
    ],
    ['an id that is none', 'description: x\naccounts: { a: { services: { five: {} } } }'],
    [
      'a case that there is not',
      'description: x\naccounts: { a: { faults: [{ operation: getCredit, respond: nothing }] } }',
    ],
    [
      'an operation that there is not',
      'description: x\naccounts: { a: { faults: [{ operation: getMoney, drop: reset }] } }',
    ],
    [
      'a session without its server: lists are replaced whole',
      'description: x\naccounts: { a: { services: { 5001: { sticky: { sessions: [{ session: b }] } } } } }',
    ],
  ])('%s', (_what, text) => expect(accepts(text)).toBe(false))
})

test('every field has a description', () => {
  const silent: string[] = []
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties } = node as { properties?: Record<string, Node> }
    for (const [name, field] of Object.entries(properties ?? {}))
      if (typeof field['description'] !== 'string') silent.push(`${path}.${name}`)
    for (const [key, child] of Object.entries(node)) visit(child, `${path}.${key}`)
  }
  visit(published, '')
  expect(silent).toEqual([])
})
