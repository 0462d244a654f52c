import { type Contract, parseMediaType } from '../../contract/Contract.ts'
import {
  type ApiRequest,
  type Assumptions,
  type Interpretation,
  type LoadedOverrides,
  type Observation,
  applyPatch,
  observe,
  watchReads,
  type World,
  type WorldChange,
} from '../simulator.ts'
import { createKernel } from '../replay.ts'
import { pickDefined, parseJson } from '../../lib/json.ts'
import type { Exchange } from './Exchange.ts'
import type { Credentials, RecordedResponse } from './RecordedExchange.ts'
import { type Parts, readParts } from './parts.ts'

/** Login of the only account in a scenario that is made from a recording */
export const login = 'recorded'
export const password = 'secret'

/** The simulator's response, and the reason for it. */
export interface OurResponse extends RecordedResponse {
  parts: Parts
  case: string | undefined
  reason: string | undefined
}

export interface SimulatedResponse {
  ours: OurResponse
  /** The change by the operation */
  change: WorldChange | undefined
  after: World
}

export type Simulator = Awaited<ReturnType<typeof createSimulator>>

/** The facts of an exchange, and what they depend on. */
interface Observed {
  observation: Observation
  assumptions: ReadonlyMap<keyof Assumptions, unknown>
  interval: number | undefined
}

/** Reads the facts of an exchange, and notes what they depend on. */
function watchObservation({ call }: Exchange, interpretation: Interpretation): Observed {
  const read = new Map<keyof Assumptions, unknown>()
  let interval: number | undefined
  const observation = observe(call, {
    assumptions: new Proxy(interpretation.assumptions, {
      get(assumptions, name: keyof Assumptions) {
        read.set(name, assumptions[name])
        return assumptions[name]
      },
    }),
    get interval() {
      interval = interpretation.interval
      return interval
    },
  })
  return { observation, assumptions: read, interval }
}

/** Responds to recorded requests in any world, using the server's pure functions. */
export async function createSimulator(contract: Contract, overrides?: LoadedOverrides) {
  const kernel = await createKernel(contract, overrides)
  const requests = new WeakMap<Exchange, ApiRequest>()
  /** Most calls of a long recording are repeated, so equal responses are read once. */
  const read = new Map<string, OurResponse>()
  const observed = new WeakMap<Exchange, Observed[]>()
  return {
    /** Parses and validates a request, once for all replays. */
    prepare(exchange: Exchange): void {
      const { operation, request } = exchange
      const { contentType, body, url, credentials } = request
      const authorization = authorizations[credentials]
      const headers = pickDefined({ accept: 'application/json', 'content-type': contentType, authorization })
      requests.set(exchange, kernel.parse({ method: operation.method, url, headers, body }))
    },

    /** The facts of an exchange. They are read once for all interpretations under which they are the same. */
    observe(exchange: Exchange, interpretation: Interpretation): Observation {
      const known = observed.get(exchange) ?? []
      const isSame = ({ assumptions, interval = interpretation.interval }: Observed): boolean =>
        interval === interpretation.interval &&
        [...assumptions].every(([name, value]) => interpretation.assumptions[name] === value)
      const found = known.find(isSame) ?? watchObservation(exchange, interpretation)
      if (!known.includes(found)) observed.set(exchange, [...known, found])
      return found.observation
    },

    /** Whether an override shapes the response, which then doesn't show the state. */
    isOverridden({ operation }: Exchange): boolean {
      return overrides?.byOperation.has(operation.operationId) === true
    },

    /**
     * Responds to a request, and returns the world after it.
     * @param world must have a clock that follows real time
     * @param report called with each path that affects the response
     */
    respond(world: World, exchange: Exchange, report: (path: string) => void): SimulatedResponse {
      const request = requests.get(exchange) as ApiRequest
      const { response, change: patch } = kernel.replay(request, watchReads(world, report), exchange.at)
      const { status, contentType, body, case: name, reason } = response
      const type = body === '' ? undefined : parseMediaType(contentType) // the type of an empty body is meaningless
      const { operation, path } = exchange
      const key = [operation.operationId, ...Object.values(path), status, type, name, reason, body].join('\n')
      let ours = read.get(key)
      if (!ours) {
        const { value = parseJson(body) } = response
        const raw = { status, contentType: type, body, value }
        read.set(key, (ours = { ...raw, case: name, reason, parts: readParts(exchange, raw) }))
      }
      return {
        ours,
        change: patch,
        after: patch ? applyPatch(world, patch) : world,
      }
    },
  }
}

const toAuthorization = (secret: string): string =>
  `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`

const authorizations: Record<Credentials, string | undefined> = {
  valid: toAuthorization(password),
  wrong: toAuthorization(`not ${password}`),
  none: undefined,
  'malformed-header': 'Malformed',
  'malformed-credentials': 'Basic !',
}
