import { kinds } from '../../world/World.ts'
import { getFields } from '../records.ts'
import {
  type Facts,
  type Interpretation,
  isEmptyBody,
  isId,
  type ObservedCall,
  type Observation,
  recordFacts,
  serviceFacts,
  type Shows,
} from './facts.ts'
import { shows } from './shows.ts'

const byId: Partial<Record<string, Shows>> = shows

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
  const isKnown = ([, value]: [string, unknown]): boolean => value !== undefined
  return {
    changedPaths: [],
    ...others,
    shownFacts: new Map([...shownFacts].filter(isKnown)),
    newFacts: new Map([...newFacts].filter(isKnown)),
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
  const { operationId, status, body, refusal } = call
  const { success, refusals = {}, reads } = byId[operationId] ?? {}
  const refused =
    refusal && refusals[refusal.name]?.({ ...call, id, body: undefined as never }, interpretation)
  if (refused || (refusal?.name === 'client-not-found' && status === 400))
    return refused ?? { shownFacts: serviceFacts(id, { client: false }) }
  const isMissing = status === 404 || status === 422 || (status === 200 && isEmptyBody(body))
  if (reads && isMissing) return { shownFacts: recordFacts(reads, id, false) }
  return status === 200 ? success?.({ ...call, id, body: body as never }, interpretation) : undefined
}
