import type { z } from 'zod'
import { caseReply, findCase } from '../../contract/caseReply.ts'
import { dateTimeFrom } from '../../world/time.ts'
import type { FaultEffects } from '../../world/World.ts'
import type { FaultResponse, FaultEffect } from './FaultEffect.ts'

type Respond = NonNullable<FaultEffects['respond']>

const statusPhrase = 'a status that can be sent (200 to 599)' // a 1xx isn't final

/** Headers about the connection, which only the server may set. */
const connectionHeaders = ['connection', 'content-length', 'trailer', 'transfer-encoding', 'upgrade']

/** Responds with a case of the operation, in the contract's words, or with a custom response. */
export const respond: FaultEffect<Respond> = {
  schema: ({ z, fields, whole, caseName }) =>
    z
      .union(
        [
          caseName,
          fields({
            status: whole(statusPhrase, 200, 599).describe('HTTP status, 200 to 599.'),
            body: z.json().describe('A text is sent as text, anything else as JSON.').optional(),
            headers: z
              .record(
                z
                  .string()
                  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'a header name')
                  .refine(
                    (name) => !connectionHeaders.includes(name.toLowerCase()),
                    'a header that a response can set',
                  ),
                z.string('a header value').regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, 'a header value'),
                'a map of headers',
              )
              .describe('Headers in addition to, or instead of, the usual ones.')
              .optional(),
          }),
        ],
        { error: 'a case of the operation (its name), or {status, body?, headers?}' },
      )
      .describe('A case of the operation, or {status, body?, headers?}.') as z.ZodType<Respond>,

  words: (response) => `responds with ${typeof response === 'string' ? response : response.status}`,

  replace(response, _before, { operation, now, world: { limits, assumptions } }): FaultResponse {
    if (typeof response === 'string') {
      const found = findCase(operation, response)
      // For `*`, only cases that all operations have were accepted.
      if (!found) throw new Error(`${operation.operationId} has no case ${response}`)
      // The contract's example has a timestamp in the past.
      const fill = { timestamp: dateTimeFrom(now + limits.updateListInterval * 1000, assumptions.timeZone) }
      return { ...caseReply(found, fill), case: response }
    }
    const { status, body, headers = {} } = response
    const isText = typeof body === 'string'
    const hasBody = body !== undefined && !hasNoContent(status)
    return {
      status,
      type: !hasBody ? undefined : isText ? 'text/plain' : 'application/json',
      body: !hasBody ? '' : isText ? body : JSON.stringify(body),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    }
  },
}

/** Statuses whose responses never have content (RFC 9110). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 304
}
