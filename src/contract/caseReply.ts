import type { Interpretations } from '../world/World.ts'
import { holds } from './Condition.ts'
import type { ContractCase, ContractOperation } from './Contract.ts'

interface CaseReply {
  status: number
  type: string
  body: string
}

/** Cache of responses without values. Most refusals are one of a few, and serializing one takes a tenth of a request's time. */
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

/** In a JSON body, inserted texts are escaped. */
function escaped(part: string, value: unknown): string {
  return typeof value === 'string' ? part : JSON.stringify(part).slice(1, -1)
}

/** The case with this name. If it has several statuses, the one of the world's interpretations. */
export function findCase(
  { cases }: ContractOperation,
  name: string,
  world?: Interpretations,
): ContractCase | undefined {
  const named = cases.filter((one) => one.name === name)
  return named.find(({ unreachableWhen }) => !world || !holds(unreachableWhen, world)) ?? named[0]
}
