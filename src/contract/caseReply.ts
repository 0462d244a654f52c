import type { Interpretations } from '../world/World.ts'
import { holds } from './Condition.ts'
import type { ContractCase, ContractOperation } from './Contract.ts'

interface CaseReply {
  status: number
  contentType: string
  body: string
}

/** Cache of responses without inserted values. Most refusals repeat, and serializing one takes a tenth of a request's time. */
const replies = new WeakMap<ContractCase, Readonly<CaseReply>>()

/** Returns the response of a case. @param values for the variable parts of its text */
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
  { status, contentType, value, fill }: ContractCase,
  values: Readonly<Record<string, string>>,
): CaseReply {
  let body = typeof value === 'string' ? value : JSON.stringify(value)
  for (const [name, example] of Object.entries(fill)) {
    const filled = values[name]
    if (filled !== undefined) body = body.replace(escapePart(example, value), () => escapePart(filled, value))
  }
  return { status, contentType, body }
}

/** Escapes a text for insertion into a JSON body. */
function escapePart(part: string, value: unknown): string {
  return typeof value === 'string' ? part : JSON.stringify(part).slice(1, -1)
}

/** Finds a case by name. If several statuses have it, returns the one that the world's interpretations allow. */
export function findCase(
  { cases }: ContractOperation,
  name: string,
  world?: Interpretations,
): ContractCase | undefined {
  const candidates = cases.filter((one) => one.name === name)
  return candidates.find(({ unreachableWhen }) => !world || !holds(unreachableWhen, world)) ?? candidates[0]
}
