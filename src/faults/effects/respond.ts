import type { z } from 'zod'
import { connectionHeaders, hasNoContent } from '../../lib/http.ts'
import { suggestion } from '../../lib/nearest.ts'
import { quoted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import type { FaultEffect, FaultResponse } from './FaultEffect.ts'

type HeaderValue = string | number | (string | number)[]

/** A custom response. */
export interface CustomResponse {
  /** 200 to 599 */
  status: number
  /** A string is sent as text, anything else as JSON. @default no body */
  body?: unknown
  /** Headers by name; a list sends the header several times. @default {} */
  headers?: Record<string, HeaderValue>
}

export interface RespondFault {
  /** Name of a case of the operation, or a custom response */
  respond?: string | CustomResponse
}

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const valueRule = 'Invalid header value: expected a string, a number, or a non-empty list of these'

/** Responds with a case of the operation, in the contract's wording, or with a custom response. */
export const respond: FaultEffect<string | CustomResponse> = {
  schema: ({ z, fields, integer, anyJson, caseName }) => {
    const text = z.string().regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, valueRule)
    const value = z.union([text, z.number()], valueRule)
    const name = z
      .string()
      .regex(headerName, 'Invalid header name')
      .refine(
        (one) => !connectionHeaders.includes(one.toLowerCase()),
        'Invalid header: a response cannot set it',
      )
    const headers = z.record(
      name,
      z.union([text, z.number(), z.array(value).refine(({ length }) => length > 0, valueRule)], valueRule),
    )
    const custom = fields({
      status: integer(200, 599) // a 1xx isn't final
        .describe('HTTP status, 200 to 599.'),
      body: anyJson.describe('A string is sent as text, anything else as JSON.').optional(),
      headers: headers
        .describe('Headers to add or replace. A list sends the header several times.')
        .optional(),
    })
    const description = 'A case of the operation, or {status, body?, headers?}.'
    const error = 'Invalid input: expected a case of the operation (its name), or {status, body?, headers?}'
    return z.union([caseName, custom], { error }).describe(description) as z.ZodType<string | CustomResponse>
  },

  description: (response) => `responds with ${typeof response === 'string' ? response : response.status}`,

  flags: [
    {
      flag: '--respond <case>',
      description: 'respond with this case of the operation, such as insufficient-funds',
    },
    {
      flag: '--status <n>',
      description: 'respond with this status',
      range: [200, 599],
      conflicts: 'respond',
    },
    { flag: '--body <text>', description: 'the body to send with --status' },
    {
      flag: '--header <line>',
      description: "a header to send with --status, such as 'Retry-After: 1'; may be repeated",
      isList: true,
    },
  ],
  fromFlags({ respond: name, status, body, header }) {
    if (status !== undefined)
      return {
        status: Number(status),
        ...(body !== undefined && { body }),
        ...(header !== undefined && { headers: parseHeaders(header as string[]) }),
      }
    for (const [flag, value] of Object.entries({ body, header }))
      if (value !== undefined) throw new UserError(`--${flag} needs --status.`, { advice: 'Add --status N.' })
    return name as string | undefined
  },

  /** For `*`, the case must exist in all operations. */
  issue(response, operations, operation) {
    if (typeof response !== 'string') return undefined
    const [first] = operations
    const common = (first?.cases ?? [])
      .map(({ name }) => name)
      .filter((name) => operations.every(({ cases }) => cases.some((one) => one.name === name)))
    if (common.includes(response)) return undefined
    const lacking = operation === '*' ? 'Not every operation has a' : `${operation} has no`
    const allowed = common.length > 0 ? ` Allowed: ${common.join(', ')}` : ''
    return `${lacking} case ${quoted(response)}.${suggestion(response, common)}${allowed}`
  },

  replace(response, _original, { caseResponse }): FaultResponse {
    if (typeof response === 'string') return caseResponse(response)
    const { status, body, headers = {} } = response
    const isText = typeof body === 'string'
    const hasBody = body !== undefined && !hasNoContent(status)
    return {
      status,
      contentType: !hasBody ? undefined : isText ? 'text/plain' : 'application/json',
      body: !hasBody ? '' : isText ? body : JSON.stringify(body),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name.toLowerCase(),
          Array.isArray(value) ? value.map(String) : String(value),
        ]),
      ),
    }
  },
}

/** Parses `Name: value` lines. The values of a repeated name, compared case-insensitively, become a list. */
function parseHeaders(lines: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const line of lines) {
    const [, name, value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined)
      throw new UserError(`${quoted(line)} is not a header.`, {
        advice: `Use a name and a value: --header 'Retry-After: 1'.`,
      })
    const key = Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name
    const previous = headers[key]
    headers[key] = previous === undefined ? value : [previous, value].flat()
  }
  return headers
}
