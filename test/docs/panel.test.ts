import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readContract } from '../../src/contract/Contract.ts'
import { read } from '../support/project.ts'

test('the table of a panel’s tasks has each operation of the API, and no other call', () => {
  const calls = [...read('docs/panel.md').matchAll(/`((?:GET|POST|PUT) \/api[^`]*)`/g)].map(
    ([, call = '']) => call,
  )
  const operations = readContract(parse(read('openapi.yaml'))).operations.map(
    ({ method, path }) => `${method} ${path}`,
  )
  expect([...new Set(calls)].toSorted()).toEqual(operations.toSorted())
})
