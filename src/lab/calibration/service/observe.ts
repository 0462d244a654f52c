import {
  type Fields,
  type Interpretation,
  isEmptyBody,
  isId,
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
  return {
    shownFacts: new Map(),
    newFacts: new Map(),
    changedPaths: [],
    ...(isValidId && readFacts(call, id, interpretation)),
  }
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
