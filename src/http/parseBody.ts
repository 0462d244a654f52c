import type { ContractOperation } from '../contract/Contract.ts'
import { isDeep } from '../journal/isDeep.ts'
import type { WireBody, WireRequest } from './Wire.ts'

export interface ParsedBody {
  /** The operation's content type that was sent, else its first; undefined where it takes no body */
  type: string | undefined
  value: unknown
  /** What is wrong with it before any schema is asked */
  wrong: string | undefined
  /** As it came, for the journal */
  text: string | undefined
}

/** Reads a body as JSON, where the operation takes one. */
export function parseBody(operation: ContractOperation, request: WireRequest, body: WireBody): ParsedBody {
  const [type] = operation.bodyTypes
  const text = 'bytes' in body && body.bytes?.length ? body.bytes.toString('utf8') : undefined
  const wrong = (reason: string): ParsedBody => ({ type, value: undefined, wrong: reason, text })
  if (type === undefined) return { type, value: undefined, wrong: undefined, text }
  if ('unreadable' in body) return wrong(body.unreadable)
  if (text === undefined)
    return operation.bodyRequired
      ? wrong('there is no body')
      : { type, value: undefined, wrong: undefined, text }
  const header = request.headers['content-type']
  const takes = `this operation takes ${operation.bodyTypes.join(', ')}`
  if (header === undefined) return wrong(`there is no Content-Type header; ${takes}`)
  const [media = '', ...parameters] = String(header)
    .split(';')
    .map((part) => part.trim().toLowerCase())
  if (!operation.bodyTypes.includes(media)) return wrong(`the Content-Type is ${media || 'empty'}; ${takes}`)
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return wrong(`the charset is ${charset}; JSON is UTF-8`)
  if (isDeep(text)) return wrong('the body is nested too deep')
  try {
    return { type: media, value: JSON.parse(text) as unknown, wrong: undefined, text }
  } catch {
    return wrong('the body is no JSON')
  }
}
