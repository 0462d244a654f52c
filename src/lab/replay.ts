import type { Contract } from '../contract/Contract.ts'
import { getValidator } from '../contract/validator/createValidator.ts'
import {
  type ApiRequest,
  admit,
  type Evaluation,
  findRoute,
  type Instant,
  type LoadedOverrides,
  parseRequest,
  perform,
  readCredentials,
  type RequestHead,
  type World,
} from './simulator.ts'

/** A request as it was sent. */
export interface SentRequest extends RequestHead {
  body: string | undefined
}

export type Kernel = Awaited<ReturnType<typeof createKernel>>

/** Responds to requests in any world, with the pure functions of the server. */
export async function createKernel(contract: Contract, overrides?: LoadedOverrides) {
  const validator = await getValidator(contract)
  const api = { contract, validator, overrides }
  return {
    validator,

    /** Parses and validates a request, for any number of replays. */
    parse({ method, url, headers, body }: SentRequest): ApiRequest {
      const head = { method, url, headers }
      const sent = { bytes: body === undefined ? undefined : Buffer.from(body) }
      return {
        request: parseRequest(validator, head, findRoute(contract, head), sent),
        credentials: readCredentials(headers['authorization'] as string | undefined),
      }
    },

    /** The response of the operation; faults don't apply. @param real the real time, from which the account's time follows */
    replay(call: ApiRequest, world: World, real: Instant): Evaluation {
      const admission = admit(api, call, world, real)
      return 'response' in admission
        ? admission
        : perform(api, call, { ...admission, fault: undefined }, real)
    },
  }
}
