import type { ContractOperation } from '../contract/Contract.ts'
import type { PlainBody, PlainRequest } from './Plain.ts'

export interface ParsedBody {
  /** One of the operation's content types; undefined where there is no body */
  type: string | undefined
  value: unknown
  /** What is wrong with it before any schema is asked */
  wrong: string | undefined
  /** As it came, for the journal */
  text: string | undefined
}

/** Reads a body as JSON, where the operation takes one. */
export function parseBody(operation: ContractOperation, request: PlainRequest, body: PlainBody): ParsedBody {
  if ('unreadable' in body)
    return { type: undefined, value: undefined, wrong: body.unreadable, text: undefined }
  const text = body.bytes?.length ? body.bytes.toString('utf8') : undefined
  if (operation.bodyTypes.length === 0 || text === undefined)
    return { type: undefined, value: undefined, wrong: undefined, text }
  const wrong = (reason: string): ParsedBody => ({ type: undefined, value: undefined, wrong: reason, text })
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
  try {
    return { type: media, value: JSON.parse(text) as unknown, wrong: undefined, text }
  } catch {
    return wrong('the body is no JSON')
  }
}
