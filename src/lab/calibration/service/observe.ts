import {
  type Facts,
  type Fields,
  getFields,
  type Interpretation,
  isEmptyBody,
  isId,
  kinds,
  type ObservedCall,
  type Observation,
  type Operation,
  operations,
  recordFacts,
  serviceFacts,
} from '../../simulator.ts'

const byId = operations as Partial<Record<string, Omit<Operation<never>, 'run'>>>

/** Returns a key that is equal for interpretations under which every response means the same. */
export function interpretationKey({ assumptions, interval }: Interpretation): string {
  const { hiddenProducts, usageOfFpr, timeZone } = assumptions
  return [hiddenProducts, usageOfFpr, timeZone, interval].join(' ')
}

/** Whether the response of a call depends on the time */
export function dependsOnTime(operationId: string, requestBody: Fields): boolean {
  const { dependsOnTime: depends = false } = byId[operationId] ?? {}
  return typeof depends === 'function' ? depends(requestBody) : depends
}

/** Fields that identify a list item, in order of precedence. */
export const itemKeys = [
  ['service_id'],
  ['productId'],
  ['id'],
  ['server', 'session'],
  ['date'],
  ['code'],
  ['ip'],
]

/** Whether traffic changes a field, so that earlier values prove nothing. */
export function isVolatile(path: string): boolean {
  return /^services\/\d+\/(?:usage|errors|inactive)(?:\/|$)/.test(path)
}

/** The facts about an account's records in an exchange. */
export function observe(call: ObservedCall, interpretation: Interpretation): Observation {
  const id = call.path['id'] ?? call.path['pid'] ?? ''
  const isValidId = id === '' || isId(id)
  const {
    shownFacts = [],
    newFacts = [],
    ...others
  } = (isValidId && readFacts(call, id, interpretation)) || {}
  const isUsable = ([, value]: [string, unknown]): boolean => value !== undefined
  return {
    changedPaths: [],
    ...others,
    shownFacts: new Map([...shownFacts].filter(isUsable)),
    newFacts: new Map([...newFacts].filter(isUsable)),
    unusablePaths: [...shownFacts].flatMap((fact) => (isUsable(fact) ? [] : fact[0])),
  }
}

/** The path of the fact that a part of a response shows; undefined if it shows none, such as the status. */
export function factPath(part: string, operationId: string, id: string, shown: Facts): string | undefined {
  if (shown.has(part)) return part // the credit
  const [, listed, field] = /^\[\w+=(\d+)\](?:\.(.+))?$/.exec(part) ?? []
  if (listed !== undefined) {
    const record = kinds.map((kind) => `${kind}/${listed}`).find((path) => shown.has(path))
    return record !== undefined && field !== undefined ? `${record}/${field}` : record
  }
  const kind = byId[operationId]?.reads
  const name = part.replace(/\[\].*/, '')
  return kind && getFields(kind).some(([one]) => one === name) ? `${kind}/${id}/${name}` : undefined
}

function readFacts(
  call: ObservedCall,
  id: string,
  interpretation: Interpretation,
): Partial<Observation> | undefined {
  const { operationId, status, body, isBroken, refusal } = call
  const operation = byId[operationId]
  const refused =
    refusal &&
    operation?.showsIfRefused?.[refusal.name]?.({ ...call, id, body: undefined as never }, interpretation)
  if (refused || (refusal?.name === 'client-not-found' && status === 400))
    return refused ?? { shownFacts: serviceFacts(id, { client: false }) }
  const kind = operation?.reads
  const isEmpty = status === 200 && !isBroken && isEmptyBody(body)
  if (kind && (status === 404 || status === 422 || isEmpty))
    return { shownFacts: recordFacts(kind, id, false) }
  if (status !== 200 || (isBroken && !operation?.impliesChange)) return undefined
  const usable = isBroken ? {} : body // undefined would mean an empty body
  return operation?.shows({ ...call, id, body: usable as never }, interpretation)
}
