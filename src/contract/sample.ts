import type { Faker } from '@faker-js/faker'
import { loadFaker } from '../lib/onDemand.ts'
import { hash } from '../world/random.ts'
import { asObject, type ContractOperation, type Schema } from './Contract.ts'
import { generateValue } from './generate.ts'
import type { Validator } from './validator/createValidator.ts'

/** A generated response that satisfies the contract, for an operation without an implementation. */
export interface Sample {
  status: number
  contentType: string | undefined
  body: unknown
}

/** Generated times are in the year before this date. If they depended on the current time, each call would differ. */
const referenceDate = new Date('2026-01-01T00:00:00Z')

/** @param source the same seed and URL give the same sample. @throws Error if no valid sample is found */
export type Sampler = (operation: ContractOperation, source: { seed: number; url: string }) => Sample

/** The first sample of each operation. It replaces others that turn out to be invalid. */
const firstSamples = new WeakMap<ContractOperation, Sample>()

/** Loads the sampler and faker, which most simulators never need. */
export async function loadSampler(validator: Validator): Promise<Sampler> {
  const { faker } = await loadFaker()
  return (operation, { seed, url }) => {
    const found =
      findSample(operation, [seed, hash([operation.operationId, url])], validator, faker) ??
      firstSamples.get(operation) ??
      findExample(operation, validator)
    if (!found) throw new Error(`no valid response can be generated for ${operation.operationId}`)
    if (!firstSamples.has(operation)) firstSamples.set(operation, found)
    return found
  }
}

/** Maximum number of samples that are generated before a valid one */
const maxAttempts = 10

/** Number of parts of a sample that may be generated again */
const maxRetries = 500

function findSample(
  operation: ContractOperation,
  seed: readonly [number, number],
  validator: Validator,
  faker: Faker,
): Sample | undefined {
  const { status, contentType, schema } = sampleShape(operation)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const body =
      schema && generateSeeded(schema, [...seed, ...(attempt > 0 ? [attempt] : [])], validator, faker)
    const sample = { status, contentType, body }
    if (isValid(operation, sample, validator)) return sample
  }
  return undefined
}

/** Generates a value. If the seed has three numbers, each part is checked. @returns undefined if it can't */
export function generateSeeded(
  schema: Schema,
  seed: readonly number[],
  validator: Validator,
  faker: Faker,
): unknown {
  faker.setDefaultRefDate(referenceDate)
  faker.seed([...seed])
  const fits = (part: Schema, value: unknown): boolean => validator.findViolations(part, value).length === 0
  try {
    return generateValue(schema, { faker, fits: seed.length > 2 ? fits : undefined, retries: maxRetries })
  } catch {
    return undefined // a pattern for which no text is found
  }
}

/** The first example of the response that satisfies the contract. */
function findExample(operation: ContractOperation, validator: Validator): Sample | undefined {
  const { status, contentType } = sampleShape(operation)
  const response = asObject(asObject(operation.schema['responses'])[status])
  return Object.values(asObject(response['content']))
    .flatMap((media) => {
      const { example, examples } = asObject(media)
      return [example, ...Object.values(asObject(examples)).map((one) => asObject(one)['value'])]
    })
    .map((body) => ({ status, contentType, body }))
    .find((sample) => isValid(operation, sample, validator))
}

/** Status, content type and schema of an operation's samples. @throws Error if it declares no successful response */
export function sampleShape({ operationId, responses }: ContractOperation) {
  const status = Object.keys(responses)
    .map(Number)
    .find((one) => one >= 200 && one < 300)
  if (status === undefined) throw new Error(`${operationId} declares no successful response. Add a 2xx.`)
  const { content = {} } = responses[status] ?? {}
  const contentType = Object.keys(content).find((one) => one.includes('json')) ?? Object.keys(content)[0]
  return { status, contentType, schema: contentType === undefined ? undefined : content[contentType] }
}

function isValid(operation: ContractOperation, sample: Sample, validator: Validator): boolean {
  const { status, contentType, body } = sample
  if (contentType !== undefined && body === undefined) return false
  const isText = typeof body === 'string' && !contentType?.includes('json')
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body)
  return validator.validateResponse(operation, { status, contentType, body: text, value: body }).length === 0
}
