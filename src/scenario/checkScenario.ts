import type { Contract } from '../contract/Contract.ts'
import { schemaIssuesInPieces } from './schemaIssuesInPieces.ts'
import { schemaIssues, type PathIssue } from './schemaIssues.ts'
import { didYouMean } from './nearest.ts'
import type { ScenarioAccount, ScenarioDocument, ScenarioFault, ScenarioService } from './ScenarioDocument.ts'
import { accountPartSchema, faultSchema, scenarioSchema } from './schema.ts'

export type { PathIssue }

/** All issues of a merged scenario: of form first, then of sense. */
export function checkScenario(value: unknown, contract: Contract): PathIssue[] {
  const wrong = schemaIssuesInPieces(scenarioSchema, value)
  if (wrong.length) return wrong
  const { accounts } = value as ScenarioDocument
  return Object.entries(accounts).flatMap(([login, account]) =>
    under(['accounts', login], checkAccountSense(account, contract)),
  )
}

/** The issues of some fields of an account. */
export function checkAccountPart(value: unknown, contract: Contract): PathIssue[] {
  const wrong = schemaIssues(accountPartSchema, value)
  return wrong.length ? wrong : checkFaults((value as ScenarioAccount).faults ?? [], contract)
}

/** The issues of one fault. */
export function checkFault(value: unknown, contract: Contract): PathIssue[] {
  const wrong = schemaIssues(faultSchema, value)
  return wrong.length ? wrong : faultSense(value as ScenarioFault, contract)
}

function under(above: readonly (string | number)[], issues: readonly PathIssue[]): PathIssue[] {
  return issues.map((issue) => ({ ...issue, path: [...above, ...issue.path] }))
}

function checkAccountSense(account: ScenarioAccount, contract: Contract): PathIssue[] {
  const { products = {}, services = {}, faults = [] } = account
  return [
    ...Object.entries(products).flatMap(([id, product]) =>
      under(['products', id], foreignFields(product, product.product_type, onlyStatic.product, [])),
    ),
    ...Object.entries(services).flatMap(([id, service]) =>
      under(['services', id], serviceSense(service, account)),
    ),
    ...boundTwice(services),
    ...checkFaults(faults, contract),
  ]
}

/** The fields that the document gives one type only. */
const onlyStatic = {
  product: ['ip_count', 'update_time', 'geo'],
  service: ['bindedip', 'ip_count'],
} as const
const onlyRotating = ['usage', 'sticky'] as const

function foreignFields(
  record: object,
  type: string | undefined,
  fpr: readonly string[],
  ppr: readonly string[],
): PathIssue[] {
  const foreign = type === 'fpr' ? ppr : type === 'ppr' ? fpr : []
  return foreign
    .filter((field) => Object.hasOwn(record, field))
    .map((field) => ({
      path: [field],
      message: `${field} is for ${type === 'fpr' ? 'ppr' : 'fpr'} only, and this is ${type}`,
      isKey: true,
    }))
}

function serviceSense(service: ScenarioService, { products = {} }: ScenarioAccount): PathIssue[] {
  const product = Object.hasOwn(products, service.product) ? products[service.product] : undefined
  const isComplete =
    service.product_type !== undefined && service.product_name !== undefined && service.price !== undefined
  return [
    ...(product || isComplete
      ? []
      : [
          {
            path: ['product'],
            message: `there is no product ${service.product} (there are: ${some(products)})`,
          },
        ]),
    ...foreignFields(
      service,
      service.product_type ?? product?.product_type,
      onlyStatic.service,
      onlyRotating,
    ),
    ...sessionsTwice(service),
  ]
}

function sessionsTwice({ sticky }: ScenarioService): PathIssue[] {
  const seen = new Set<string>()
  return (sticky?.sessions ?? []).flatMap(({ server, session }, i) => {
    const isNew = seen.size < seen.add(JSON.stringify([server, session])).size
    return isNew
      ? []
      : [
          {
            path: ['sticky', 'sessions', i],
            message: `session ${session} on server ${server} stands here twice`,
          },
        ]
  })
}

function boundTwice(services: Readonly<Record<string, ScenarioService>>): PathIssue[] {
  const holders = new Map<string, string>()
  return Object.entries(services).flatMap(([id, { bindedip }]) => {
    if (!bindedip) return []
    const holder = holders.get(bindedip)
    if (holder === undefined) {
      holders.set(bindedip, id)
      return []
    }
    return [
      { path: ['services', id, 'bindedip'], message: `${bindedip} is bound to service ${holder} already` },
    ]
  })
}

function checkFaults(faults: readonly ScenarioFault[], contract: Contract): PathIssue[] {
  const ids = new Set<number>()
  return faults.flatMap((fault, i) => {
    const isTaken = fault.id !== undefined && ids.size === ids.add(fault.id).size
    const taken = isTaken ? [{ path: ['id'], message: `fault ${fault.id} stands here twice` }] : []
    return under(['faults', i], [...taken, ...faultSense(fault, contract)])
  })
}

function faultSense({ operation, match, respond }: ScenarioFault, contract: Contract): PathIssue[] {
  const ids = contract.operations.map(({ operationId }) => operationId)
  if (operation !== '*' && !contract.operation(operation))
    return [
      {
        path: ['operation'],
        message: `there is no operation ${JSON.stringify(operation)}${didYouMean(operation, ids)} (allowed: *, ${ids.join(', ')})`,
      },
    ]
  return [
    ...(match ? matchSense(operation, match, contract) : []),
    ...(typeof respond === 'string' ? caseSense(operation, respond, contract) : []),
  ]
}

/** What no request of the operation can have: such a fault would wait for ever. */
function matchSense(
  operation: string,
  { path = {}, body }: NonNullable<ScenarioFault['match']>,
  contract: Contract,
): PathIssue[] {
  const asked = contract.operations.filter(({ operationId }) => [operationId, '*'].includes(operation))
  const names = [...new Set(asked.flatMap(({ pathNames }) => pathNames))]
  const whose = operation === '*' ? 'no operation has a' : `${operation} has no`
  const allowed = names.length ? ` (allowed: ${names.join(', ')})` : ''
  const issues: PathIssue[] = Object.keys(path)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: ['match', 'path', name],
      message: `${whose} path parameter ${JSON.stringify(name)}${didYouMean(name, names)}${allowed}`,
      isKey: true,
    }))
  if (body !== undefined && asked.every(({ bodyTypes }) => bodyTypes.length === 0))
    issues.push({ path: ['match', 'body'], message: `${operation} takes no body`, isKey: true })
  return issues
}

function caseSense(operation: string, respond: string, contract: Contract): PathIssue[] {
  const cases = casesOf(operation, contract)
  if (cases.includes(respond)) return []
  return [
    {
      path: ['respond'],
      message: `${operation === '*' ? 'not every operation has a' : `${operation} has no`} case ${JSON.stringify(respond)}${didYouMean(respond, cases)} (allowed: ${cases.join(', ')})`,
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

function some(records: Readonly<Record<string, unknown>>): string {
  const names: string[] = []
  for (const name in records) {
    if (names.length === 10) return `${names.join(', ')}, …`
    names.push(name)
  }
  return names.join(', ') || 'none'
}
