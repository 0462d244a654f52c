import type { ContractCase, ContractOperation } from './Contract.ts'

export interface CaseReply {
  status: number
  type: string
  body: string
}

/** The response of a case, with `values` for the variable parts of its text. */
export function caseReply(
  { status, type, value, fill }: ContractCase,
  values: Readonly<Record<string, string>> = {},
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
