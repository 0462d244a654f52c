import type { ContractOperation, Schema } from '../contract/Contract.ts'
import { isDeep } from '../journal/isDeep.ts'
import { isObject } from '../world/mergePatch.ts'
import type { WireBody, WireRequest } from './Wire.ts'

export interface ParsedBody {
  /** The operation's content type that was sent, else its first; undefined if it takes no body */
  type: string | undefined
  /** The JSON; the text itself if the operation takes other types too, and so reads it itself */
  value: unknown
  /** What is wrong with it before any schema is asked */
  wrong: string | undefined
  /** As it came, for the journal */
  text: string | undefined
}

/** Bytes that a body may have if the contract says nothing else (`x-max-bytes`) */
const usualLimit = 1024 * 1024

/** Bytes that the body of a request may have. */
export function largestBody(operation: ContractOperation, { headers }: WireRequest): number {
  if (operation.bodyTypes.length === 0) return usualLimit
  const type = mediaOf(headers['content-type']) ?? operation.bodyTypes[0] ?? ''
  const named = bag(bag(bag(operation.schema['requestBody'])['content'])[type])['x-max-bytes']
  return typeof named === 'number' ? named : usualLimit
}

/** Reads a body, if the operation takes one. */
export function parseBody(operation: ContractOperation, request: WireRequest, body: WireBody): ParsedBody {
  const { bodyTypes } = operation
  const [first] = bodyTypes
  const text = 'bytes' in body && body.bytes?.length ? body.bytes.toString('utf8') : undefined
  const parsed = (type: string | undefined, value: unknown, wrong?: string): ParsedBody => ({
    type,
    value,
    wrong,
    text,
  })
  if (first === undefined) return parsed(undefined, undefined)
  const refuse = (reason: string): ParsedBody => parsed(first, undefined, reason)
  if ('unreadable' in body) return refuse(body.unreadable)
  if (text === undefined)
    return operation.bodyRequired
      ? refuse(`there is no body; this operation takes ${bodyTypes.join(', ')}`)
      : parsed(first, undefined)
  const header = request.headers['content-type']
  const media = header === undefined && operation.assumesType ? first : mediaOf(header)
  const takes = `this operation takes ${bodyTypes.join(', ')}`
  if (media === undefined) return refuse(`there is no Content-Type header; ${takes}`)
  if (!bodyTypes.includes(media)) return refuse(`the Content-Type is ${media || 'empty'}; ${takes}`)
  const charset =
    media === header ? undefined : /;\s*charset="?([^";]*)/i.exec(String(header))?.[1]?.trim().toLowerCase()
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return refuse(`the charset is ${charset}; it must be UTF-8`)
  if (!bodyTypes.every((type) => type.endsWith('json'))) return parsed(media, text)
  if (isDeep(text)) return refuse('the body is nested too deep')
  try {
    return parsed(media, JSON.parse(text) as unknown)
  } catch {
    return refuse('the body is not valid JSON')
  }
}

/** `application/json` of a Content-Type header */
function mediaOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === 'application/json') return header // as it mostly comes
  return (String(header).split(';', 1)[0] as string).trim().toLowerCase()
}

function bag(value: unknown): Schema {
  return isObject(value) ? value : {}
}
