import { type Contract, parseMediaType } from '../../contract/Contract.ts'
import {
  type ApiRequest,
  type LoadedOverrides,
  overriddenResponse,
  emptyWorld,
  applyPatch,
  worldFromJson,
  type World,
  type WorldChange,
} from '../simulator.ts'
import { createKernel } from '../replay.ts'
import { pickDefined, parseJson } from '../../lib/json.ts'
import { watchReads } from './service/watchReads.ts'
import type { Credentials, Exchange, RecordedResponse } from './Exchange.ts'

/** Login of the only account in a scenario that is made from a recording */
export const login = 'recorded'
export const password = 'secret'

/** The simulator's response, and the reason for it. */
export interface OurResponse extends RecordedResponse {
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

/** Responds to recorded requests in any world, using the server's pure functions. */
export async function createSimulator(contract: Contract, overrides?: LoadedOverrides) {
  const kernel = await createKernel(contract, overrides)
  const requests = new WeakMap<Exchange['cacheKey'], ApiRequest>()
  return {
    validator: kernel.validator,

    /** Parses and validates a request, once for all replays. */
    prepare({ cacheKey, operation: { method }, request }: Exchange): void {
      if (requests.has(cacheKey)) return
      const { contentType, body, url, credentials } = request
      const authorization = authorizations[credentials]
      const headers = pickDefined({ accept: 'application/json', 'content-type': contentType, authorization })
      requests.set(cacheKey, kernel.parse({ method, url, headers, body }))
    },

    /** Applies an override to the recorded response; undefined if the operation has none. */
    applyOverride({ cacheKey, operation, response: recorded, at }: Exchange): RecordedResponse | undefined {
      if (!overrides?.byOperation.has(operation.operationId)) return undefined
      const { request } = requests.get(cacheKey) as ApiRequest
      const original = { ...recorded, contentType: recorded.contentType ?? 'application/json' }
      const context = { world: blankWorld, now: at, real: at, original }
      const {
        status,
        contentType,
        body,
        value = parseJson(body),
      } = overriddenResponse(overrides, request, operation, context)
      return { status, contentType: parseMediaType(contentType), body, value }
    },

    /**
     * Responds to a request, and returns the world after it.
     * @param world must have a clock that follows real time
     * @param report called with each path that affects the response
     */
    respond(world: World, exchange: Exchange, report: (path: string) => void): SimulatedResponse {
      const request = requests.get(exchange.cacheKey) as ApiRequest
      const { response, change: patch } = kernel.replay(request, watchReads(world, report), exchange.at)
      const { status, contentType, body, case: name, reason, value = parseJson(body) } = response
      return {
        // The type of an empty body is meaningless.
        ours: {
          status,
          contentType: body === '' ? undefined : parseMediaType(contentType),
          body,
          value,
          case: name,
          reason,
        },
        change: patch,
        after: patch ? applyPatch(world, patch) : world,
      }
    },
  }
}

const blankWorld = worldFromJson(emptyWorld(password, undefined, { offset: 0 }))

const toAuthorization = (secret: string): string =>
  `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`

const authorizations: Record<Credentials, string | undefined> = {
  valid: toAuthorization(password),
  wrong: toAuthorization(`not ${password}`),
  none: undefined,
  'malformed-header': 'Malformed',
  'malformed-credentials': 'Basic !',
}
