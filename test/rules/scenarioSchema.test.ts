import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { createScenarioFileSchema } from '../../scripts/scenarioFileSchema.ts'

type Node = Record<string, unknown>

const root = new URL('../../', import.meta.url)
const published = JSON.parse(readFileSync(new URL('scenario.schema.json', root), 'utf8')) as Node
const schema = z.fromJSONSchema(published)
const accepts = (text: string): boolean => schema.safeParse(parse(text)).success

test('the published schema is up to date', () => {
  expect(published).toEqual(createScenarioFileSchema())
})

test.each(readdirSync(new URL('scenarios/', root)))('it accepts scenarios/%s', (file) => {
  expect(accepts(readFileSync(new URL(`scenarios/${file}`, root), 'utf8'))).toBe(true)
})

const over = (reseller: string) => `description: x\nextends: default\naccounts: { reseller: ${reseller} }`

test.each<[isAccepted: boolean, what: string, text: string]>([
  [true, 'a description alone', 'description: x'],
  [true, 'a patch of one field', over('{ services: { 5001: { status: Fraud } } }')],
  [true, 'null for a record', over('{ products: { 105: null } }')],
  [true, 'null for a field', over('{ services: { 5001: { errors: null } } }')],
  [true, 'null for an account', over('null')],
  [
    true,
    'a fault with any body',
    over('{ faults: [{ operation: getCredit, respond: { status: 500, body: { a: [null, 1] } } }] }'),
  ],
  [false, 'no description', 'extends: default'],
  [false, 'null for the description', 'description: null'],
  [false, 'an unknown field', 'description: x\nacounts: {}'],
  [false, 'a status that there is not', over('{ services: { 5001: { status: Actve } } }')],
  [false, 'an id that is none', over('{ services: { five: {} } }')],
  [false, 'a case that there is not', over('{ faults: [{ operation: getCredit, respond: nothing }] }')],
  [false, 'an operation that there is not', over('{ faults: [{ operation: getMoney, drop: reset }] }')],
  [
    false,
    'a session without its server: lists are replaced whole',
    over('{ services: { 5001: { sticky: { sessions: [{ session: b }] } } } }'),
  ],
])('it accepts (%s): %s', (isAccepted, _what, text) => {
  expect(accepts(text)).toBe(isAccepted)
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
