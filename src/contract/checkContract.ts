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
import { isApi } from '../lib/http.ts'
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
      checkPath(operation)
      compile(operation, validator)
      if (isImplemented(operation)) checkInterface(operation, shipped.operation(operation.operationId))
      else await checkSample(operation, sampler, validator)
    }
  } catch (error) {
    throw unusableContract(file, error)
  }
}

function checkPath({ operationId, method, path }: ContractOperation): void {
  if (isApi(path)) return
  throw new ContractError(`no request can reach ${operationId} (${method} ${path}), which is outside /api.`, {
    advice: `Write the path as /api${path}, even if \`servers\` has a prefix: it is not read.`,
  })
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
    const { contradiction } = culprit ?? {}
    throw new ContractError(
      `no valid response can be generated for ${operation.operationId} (${status}), because of ${place}: ${contradiction ?? problem}.`,
      {
        advice: contradiction
          ? 'Correct the schema.'
          : 'Add a valid example to the schema or to the response, or correct the schema if no value satisfies it.',
        cause,
      },
    )
  }
}

interface Culprit {
  name: string | undefined
  /** The location below the named schema */
  path: string[]
  problem: string
  /** Why no value satisfies the schema, if that is known */
  contradiction: string | undefined
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
  const contradiction = findContradiction(schema, validator)
  return { name, path, problem: violations[0]?.[0] ?? '', contradiction }
}

const bounds = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const

/** Finds keywords of a schema, including its `allOf`, that exclude each other. */
function findContradiction(schema: Schema, validator: Validator): string | undefined {
  const parts = withAllOf(schema)
  const numbers = (keyword: string) =>
    parts.map((part) => part[keyword]).filter((value) => typeof value === 'number')
  for (const [lower, upper] of bounds) {
    const [least, most] = [Math.max(...numbers(lower)), Math.min(...numbers(upper))]
    if (least > most) return `no value satisfies it, because ${lower} ${least} is above ${upper} ${most}`
  }
  const choices = parts.flatMap((part) => asArray(part['enum']))
  if (choices.length === 0 || choices.some((one) => validator.findViolations(schema, one).length === 0))
    return undefined
  return 'no value satisfies it, because none of its enum does'
}

function withAllOf(schema: Schema): Schema[] {
  return [schema, ...asArray(schema['allOf']).flatMap((part) => withAllOf(asObject(part)))]
}
