import { ContractError } from '../contract/ContractError.ts'
import { asObject, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { getValidator } from '../contract/validator/createValidator.ts'
import { operations } from '../service/index.ts'
import { createResponse, type ExecutionResult } from './responses.ts'

/*
 * An operation without a file in `service/operations` responds with the first example of its first 2xx response. So an operation
 * that is added to `openapi.yaml` works at once.
 */

/** Returns the example that an operation responds with. A response without content needs none. */
export function exampleResult(operation: ContractOperation): ExecutionResult | undefined {
  const [status, response] =
    Object.entries(asObject(operation.schema['responses'])).find(([code]) => code.startsWith('2')) ?? []
  if (status === undefined) return undefined
  const [contentType, media] = Object.entries(asObject(asObject(response)['content']))[0] ?? []
  if (contentType === undefined) return { status: Number(status), body: undefined }
  const { example, examples } = asObject(media)
  const body = example ?? asObject(Object.values(asObject(examples))[0])['value']
  return body === undefined ? undefined : { status: Number(status), contentType, body }
}

/** Checks the examples of operations that have no rules. @throws ContractError naming the operation */
export async function checkExamples(contract: Contract): Promise<void> {
  for (const operation of contract.operations.filter(({ operationId }) => !(operationId in operations))) {
    const { operationId } = operation
    const result = exampleResult(operation)
    if (!result)
      throw new ContractError(`${operationId} has neither rules nor an example of a 2xx response.`, {
        advice: 'Add an example to the response, or a file to src/service/operations.',
      })
    const validator = await getValidator(contract)
    const [violation] = validator.validateResponse(
      operation,
      createResponse(result.status ?? 200, result.contentType, result.body),
    )
    if (violation !== undefined)
      throw new ContractError(`The example of ${operationId} breaks its schema: ${violation}.`, {
        advice: 'Correct the example.',
      })
  }
}
