import type { Faker } from '@faker-js/faker'
import {
  asArray,
  asObject,
  type Contract,
  type ContractCase,
  type ContractOperation,
  type Schema,
  schemaName,
} from './Contract.ts'
import { ContractError } from './ContractError.ts'
import { loadContract, unusableContract } from './loadContract.ts'
import { loadFaker } from '../lib/onDemand.ts'
import { generateSeeded, loadSampler, type Sampler, sampleShape } from './sample.ts'
import { getValidator, type Validator } from './validator/createValidator.ts'

/**
 * Checks that all schemas of a contract are valid, that responses can be generated for its operations without an
 * implementation, and that the others have what their implementation reads. Otherwise, requests would fail.
 * @param file its path, for the message
 * @throws ContractError
 */
export async function checkContract(
  contract: Contract,
  file: string,
  isImplemented: (operation: ContractOperation) => boolean,
): Promise<void> {
  try {
    const validator = await getValidator(contract)
    const sampler = await loadSampler(validator)
    const shipped = await loadContract()
    for (const operation of contract.operations) {
      compile(operation, validator)
      if (isImplemented(operation)) checkInterface(operation, shipped.operation(operation.operationId))
      else await checkSample(operation, sampler, validator)
    }
  } catch (error) {
    throw unusableContract(file, error)
  }
}

function compile(operation: ContractOperation, validator: Validator): void {
  try {
    validator.prepare(operation)
  } catch (error) {
    throw new Error(`${operation.operationId} has an invalid schema: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Checks that an implemented operation has the path parameters, the kind of body and the errors of the shipped one. */
function checkInterface(operation: ContractOperation, shipped: ContractOperation | undefined): void {
  const { operationId, method, path, pathParameters, bodyTypes, cases } = operation
  const problems = [
    ...findMissing(shipped?.pathParameters, pathParameters).map(
      (name) => `lacks the path parameter {${name}}`,
    ),
    ...findMissing(pathParameters, shipped?.pathParameters).map(
      (name) => `has the path parameter {${name}}, which the simulator doesn't know`,
    ),
    ...findMissing(shipped?.bodyTypes, bodyTypes).map((type) => `takes no body of type ${type}`),
    ...(bodyTypes.length > 0 && shipped?.bodyTypes.length === 0 ? ['takes a body'] : []),
    ...findMissing(namesOf(shipped?.cases), namesOf(cases)).map(
      (name) => `has no error response with an example named ${name}`,
    ),
  ]
  if (problems.length > 0)
    throw new ContractError(`${operationId} (${method} ${path}) ${problems.join(' and ')}.`, {
      advice:
        'Keep what the bundled openapi.yaml has, or choose another operationId: its responses are then generated.',
    })
}

/** The names of the errors that an operation raises itself. */
function namesOf(cases: readonly ContractCase[] = []): string[] {
  return [...new Set(cases.filter((one) => !one.isAuthentication).map(({ name }) => name))]
}

function findMissing(expected: readonly string[] = [], found: readonly string[] = []): string[] {
  return expected.filter((one) => !found.includes(one))
}

async function checkSample(
  operation: ContractOperation,
  sampler: Sampler,
  validator: Validator,
): Promise<void> {
  const { status, schema = {} } = sampleShape(operation)
  try {
    sampler(operation, { seed: 0, url: '' })
  } catch (cause) {
    const { faker } = await loadFaker()
    const culprit = findCulprit(schema, undefined, [], validator, faker)
    const { name = schemaName(schema), path = [], problem = (cause as Error).message } = culprit ?? {}
    const place = [name === undefined ? 'its schema' : `the schema ${name}`, ...path].join('/')
    throw new ContractError(
      `no valid response can be generated for ${operation.operationId} (${status}), because of ${place}: ${problem}.`,
      { advice: 'Add a valid example to the schema or to the response.', cause },
    )
  }
}

interface Culprit {
  name: string | undefined
  /** The location below the named schema */
  path: string[]
  problem: string
}

const attempts = [1, 2, 3, 4, 5]

/** Finds the innermost part of a schema for which no valid value can be generated. */
function findCulprit(
  schema: Schema,
  outerName: string | undefined,
  outerPath: string[],
  validator: Validator,
  faker: Faker,
): Culprit | undefined {
  const values = attempts.map((attempt) => generateSeeded(schema, [0, 0, attempt], validator, faker))
  const violations = values.map((value) =>
    value === undefined ? ['no text is found for its pattern'] : validator.findViolations(schema, value),
  )
  if (violations.some((one) => one.length === 0)) return undefined
  const ownName = schemaName(schema)
  const [name, path] = ownName === undefined ? [outerName, outerPath] : [ownName, []]
  const { properties, items, additionalProperties, allOf } = schema
  const parts = Object.entries({ ...asObject(properties), '[]': items, '*': additionalProperties })
  for (const [key, part] of [...parts, ...asArray(allOf).map((one) => ['', one] as const)])
    if (typeof part === 'object') {
      const culprit = findCulprit(asObject(part), name, key === '' ? path : [...path, key], validator, faker)
      if (culprit) return culprit
    }
  return { name, path, problem: violations[0]?.[0] ?? '' }
}
