import type { z } from 'zod'
import type { Contract } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { ScenarioAccount, ScenarioDocument, ScenarioFault } from './ScenarioDocument.ts'
import { accountPartSchema, faultSchema, nearest, scenarioSchema } from './schema.ts'
import type { Path } from './SourceText.ts'

/** One mistake in a value: where, and what is wrong. */
export interface Mistake {
  path: Path
  message: string
}

/** All mistakes of a merged scenario: of form first, then of sense. */
export function checkScenario(value: unknown, contract: Contract): Mistake[] {
  const wrong = mistakesOf(scenarioSchema.safeParse(value), value)
  if (wrong.length) return wrong
  const { accounts } = value as ScenarioDocument
  return Object.entries(accounts).flatMap(([login, account]) =>
    checkAccountSense(account, contract).map(({ path, message }) => ({
      path: ['accounts', login, ...path],
      message,
    })),
  )
}

/** The mistakes of some fields of an account. */
export function checkAccountPart(value: unknown, contract: Contract): Mistake[] {
  const wrong = mistakesOf(accountPartSchema.safeParse(value), value)
  return wrong.length ? wrong : checkFaults((value as ScenarioAccount).faults ?? [], contract)
}

/** The mistakes of one fault. */
export function checkFault(value: unknown, contract: Contract): Mistake[] {
  const wrong = mistakesOf(faultSchema.safeParse(value), value)
  return wrong.length ? wrong : faultSense(value as ScenarioFault, contract)
}

function checkAccountSense(account: ScenarioAccount, contract: Contract): Mistake[] {
  const { products = {}, services = {} } = account
  const mistakes: Mistake[] = []
  const bound = new Map<string, string>()
  for (const [id, service] of Object.entries(services)) {
    if (
      !products[service.product] &&
      (service.product_type === undefined ||
        service.product_name === undefined ||
        service.price === undefined)
    )
      mistakes.push({
        path: ['services', id, 'product'],
        message: `there is no product ${service.product} (there are: ${some(Object.keys(products))})`,
      })
    if (!service.bindedip) continue
    const holder = bound.get(service.bindedip)
    if (holder !== undefined)
      mistakes.push({
        path: ['services', id, 'bindedip'],
        message: `${service.bindedip} is bound to service ${holder} already`,
      })
    bound.set(service.bindedip, id)
  }
  const needs = account.generate
  if (needs?.services && !Object.keys(products).length && !needs.products)
    mistakes.push({
      path: ['generate', 'services'],
      message: 'services need products: name some, or generate them too',
    })
  return [...mistakes, ...checkFaults(account.faults ?? [], contract)]
}

function checkFaults(faults: readonly ScenarioFault[], contract: Contract): Mistake[] {
  return faults.flatMap((fault, i) =>
    faultSense(fault, contract).map(({ path, message }) => ({ path: ['faults', i, ...path], message })),
  )
}

function faultSense({ operation, respond }: ScenarioFault, contract: Contract): Mistake[] {
  const ids = contract.operations.map(({ operationId }) => operationId)
  if (operation !== '*' && !contract.operation(operation)) {
    const near = nearest(operation, ids)
    return [
      {
        path: ['operation'],
        message: `there is no operation ${JSON.stringify(operation)}${near ? `, did you mean ${JSON.stringify(near)}?` : ''} (allowed: *, ${ids.join(', ')})`,
      },
    ]
  }
  if (typeof respond !== 'string') return []
  const cases = casesOf(operation, contract)
  if (cases.includes(respond)) return []
  return [
    {
      path: ['respond'],
      message: `${operation === '*' ? 'not every operation has a' : `${operation} has no`} case ${JSON.stringify(respond)} (allowed: ${cases.join(', ')})`,
    },
  ]
}

/** The cases of an operation; of `*`, those that all operations have. */
function casesOf(operation: string, contract: Contract): string[] {
  const names = contract.operations
    .filter(({ operationId }) => operation === '*' || operationId === operation)
    .map(({ cases }) => cases.map(({ name }) => name))
  return (names[0] ?? []).filter((name) => names.every((others) => others.includes(name)))
}

function mistakesOf(result: z.ZodSafeParseResult<unknown>, value: unknown): Mistake[] {
  return result.success ? [] : result.error.issues.flatMap((issue) => mistakesOfIssue(issue, value))
}

function mistakesOfIssue(issue: z.core.$ZodIssue, value: unknown): Mistake[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
  if (issue.code === 'unrecognized_keys')
    return [{ path: [...path, issue.keys[0] as string], message: issue.message }]
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? issue.message }]
  const present = path.reduce<unknown>(
    (found, key) =>
      isObject(found) || Array.isArray(found) ? (found as Record<string, unknown>)[key] : undefined,
    value,
  )
  if (issue.code === 'invalid_type' && present === undefined) return [{ path, message: 'is required' }]
  if (issue.code === 'invalid_type') return [{ path, message: `${shown(present)} is not ${expected(issue)}` }]
  return [
    {
      path,
      message: issue.message === 'Invalid input' ? `${shown(present)} is not taken here` : issue.message,
    },
  ]
}

function expected(issue: z.core.$ZodIssueInvalidType): string {
  const words: Record<string, string> = {
    object: 'a map of fields',
    record: 'a map',
    array: 'a list',
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
  }
  return issue.message.startsWith('Invalid input') ? (words[issue.expected] ?? issue.expected) : issue.message
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function some(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(', ')}, …` : names.join(', ') || 'none'
}
