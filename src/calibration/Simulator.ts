import { type Contract, mediaOf } from '../contract/Contract.ts'
import { loadSampler } from '../contract/sample.ts'
import { validatorOf } from '../contract/validator/createValidator.ts'
import { answer, identify } from '../http/answer.ts'
import { readRequest, type RequestContext } from '../http/handleRequest.ts'
import { defined, jsonOf } from '../lib/json.ts'
import { change } from '../world/change.ts'
import { watched } from '../service/calibration/adopt.ts'
import type { World, WorldChange } from '../world/World.ts'
import type { Credentials, Exchange, RecordedResponse } from './Exchange.ts'

/** The only account of a scenario that is made from a recording */
export const login = 'recorded'
export const password = 'secret'

/** The simulator's response, and the reason for it. */
export interface OurResponse extends RecordedResponse {
  case: string | undefined
  reason: string | undefined
}

export interface Responded {
  ours: OurResponse
  /** What the operation changes */
  change: WorldChange | undefined
  after: World
}

export type Simulator = Awaited<ReturnType<typeof simulatorOf>>

/** Responds to recorded requests in any world, by the same pure functions as the server. */
export async function simulatorOf(contract: Contract) {
  const [validator, sampler] = await Promise.all([validatorOf(contract), loadSampler()])
  const contexts = new WeakMap<Exchange['alike'], RequestContext>()
  return {
    validator,

    /** Parses and validates a request, once for all replays. */
    async prepare(exchange: Exchange): Promise<void> {
      if (contexts.has(exchange.alike)) return
      const { contentType, body, url, credentials } = exchange.request
      const authorization = authorizations[credentials]
      const headers = defined({ accept: 'application/json', 'content-type': contentType, authorization })
      const context = await readRequest(
        { contract, validator, identify },
        {
          method: exchange.operation.method,
          url,
          headers,
          origin: () => 'http://localhost',
          hasArrived: () => true,
          body: () => ({ bytes: body === undefined ? undefined : Buffer.from(body) }),
          signal: () => never,
        },
      )
      contexts.set(exchange.alike, context)
    },

    /**
     * The response to a request, and the world after it.
     * @param world its clock follows real time
     * @param report is called with the paths that decide the response
     */
    respond(world: World, exchange: Exchange, report: (path: string) => void): Responded {
      const context = contexts.get(exchange.alike) as RequestContext
      const given = answer({ contract, sampler }, context, watched(world, report), exchange.at)
      const { status, type, body, case: name, reason, value = jsonOf(body) } = given.response
      return {
        ours: { status, type: mediaOf(type), body, value, case: name, reason },
        change: given.change,
        after: given.change ? change(world, given.change) : world,
      }
    },
  }
}

const never = new AbortController().signal

const basic = (secret: string): string => `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`

const authorizations: Record<Credentials, string | undefined> = {
  valid: basic(password),
  wrong: basic(`not ${password}`),
  none: undefined,
  'malformed-header': 'Malformed',
  'malformed-credentials': 'Basic !',
}
