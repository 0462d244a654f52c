import type { ContractCase, ContractOperation } from './Contract.ts'

interface CaseReply {
  status: number
  type: string
  body: string
}

/** Responses without values: most refusals are one of a few, and serializing them again costs a tenth of a request. */
const replies = new WeakMap<ContractCase, Readonly<CaseReply>>()

/** The response of a case, with `values` for the variable parts of its text. */
export function caseReply(
  contractCase: ContractCase,
  values?: Readonly<Record<string, string>>,
): Readonly<CaseReply> {
  if (values) return filledReply(contractCase, values)
  let reply = replies.get(contractCase)
  if (!reply) replies.set(contractCase, (reply = filledReply(contractCase, {})))
  return reply
}

function filledReply(
  { status, type, value, fill }: ContractCase,
  values: Readonly<Record<string, string>>,
): CaseReply {
  let body = typeof value === 'string' ? value : JSON.stringify(value)
  for (const [name, sample] of Object.entries(fill)) {
    const filled = values[name]
    if (filled !== undefined) body = body.replace(escaped(sample, value), () => escaped(filled, value))
  }
  return { status, type, body }
}

/** In a JSON body, a part of a text is escaped. */
function escaped(part: string, value: unknown): string {
  return typeof value === 'string' ? part : JSON.stringify(part).slice(1, -1)
}

export function findCase(operation: ContractOperation, name: string): ContractCase | undefined {
  return operation.cases.find((one) => one.name === name)
}
