import { raw, type Request, type Response } from 'express'
import type { ContractOperation, Schema } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { isDeep } from '../journal/isDeep.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Issue } from '../Issue.ts'
import { wrongInput } from './AdminError.ts'
import { unknownName } from './unknownName.ts'

/** Bytes that a body may have where the description says nothing else (`x-max-bytes`). */
const largestBody = 1024 * 1024

/** What of a request is the same for all operations. */
export interface ReadParts {
  path: Record<string, string>
  query: Record<string, string>
  body: unknown
  text: string
}

/** Reads a request and checks it against the description. @throws AdminError 400 */
export async function readInput(
  req: Request,
  res: Response,
  operation: ContractOperation,
  path: Record<string, string>,
  validator: () => Promise<Validator>,
): Promise<ReadParts> {
  const query = new URLSearchParams(req.originalUrl.split('?')[1] ?? '')
  refuse('The query is wrong.', wrongQuery(query, operation))
  const type = bodyType(req, operation)
  const text = type === undefined ? '' : await readText(req, res, largest(operation, type))
  const body = type === undefined ? undefined : parse(text, operation)
  const checksItself = bag(operation.schema['requestBody'])['x-own-check'] === true
  const isChecked = operation.hasParameters || operation.bodyTypes.length > 0
  const violations = (
    isChecked
      ? (await validator()).request(operation, { path, query, headers: {}, bodyType: type, body })
      : []
  )
    .filter((violation) => violation.in !== 'body' || !checksItself)
    .map((violation) => ({ path: violation.in === 'body' ? '' : violation.in, message: violation.message }))
  if (!checksItself) refuse('The request is wrong.', unknownFields(body, operation))
  refuse('The request is wrong.', violations)
  return { path, query: Object.fromEntries(query), body, text }
}

function refuse(what: string, details: readonly Issue[]): void {
  if (details.length) throw wrongInput(what, details)
}

function wrongQuery(query: URLSearchParams, { schema }: ContractOperation): Issue[] {
  const known = list(schema['parameters'])
    .filter((parameter) => bag(parameter)['in'] === 'query')
    .map((parameter) => String(bag(parameter)['name']))
  // An account may be named everywhere: whoever always names it need not know where it matters.
  const unknown = [...query.keys()].filter((name) => name !== 'account' && !known.includes(name))
  const twice = known.filter((name) => query.getAll(name).length > 1)
  return [
    ...unknown.map((name) => ({ path: name, message: unknownName('parameter', name, known) })),
    ...twice.map((name) => ({ path: name, message: 'stands there twice' })),
  ]
}

function unknownFields(body: unknown, operation: ContractOperation): Issue[] {
  const schema = bag(bag(content(operation)['application/json'])['schema'])
  if (!isObject(body) || schema['additionalProperties'] !== false) return []
  const known = Object.keys(bag(schema['properties']))
  return Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: name, message: unknownName('field', name, known) }))
}

/** Which of the operation's content types the body has; the first where the request does not say. */
function bodyType(req: Request, { bodyTypes }: ContractOperation): string | undefined {
  const isEmpty =
    req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0
  const named = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (bodyTypes.length === 0 || isEmpty || named === undefined || bodyTypes.includes(named))
    return named !== undefined && bodyTypes.includes(named) ? named : bodyTypes[0]
  throw wrongInput('The Content-Type is wrong.', [
    { path: 'Content-Type', message: `${named} is not taken here (allowed: ${bodyTypes.join(', ')})` },
  ])
}

function largest(operation: ContractOperation, type: string): number {
  const named = bag(content(operation)[type])['x-max-bytes']
  return typeof named === 'number' ? named : largestBody
}

function readText(req: Request, res: Response, limit: number): Promise<string> {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
    return Promise.resolve('')
  return new Promise((resolve, reject) => {
    raw({ type: () => true, limit })(req, res, (error?: unknown) => {
      if (error) {
        res.shouldKeepAlive = false // what is left of the body will not be read
        const { type, message } = error as { type?: string; message: string }
        const why = type === 'entity.too.large' ? `it is larger than ${limit} bytes` : message
        reject(wrongInput("The body can't be read.", [{ path: '', message: why }]))
      } else resolve(Buffer.isBuffer(req.body) ? req.body.toString('utf8') : '')
    })
  })
}

/** JSON as its value; where YAML is taken too, the text is the operation's to read. */
function parse(text: string, { bodyTypes, bodyRequired }: ContractOperation): unknown {
  if (text.trim() === '') {
    if (!bodyRequired) return {}
    throw wrongInput('The body is missing.', [
      { path: '', message: `this takes a body (${bodyTypes.join(', ')})` },
    ])
  }
  if (!bodyTypes.every((type) => type.endsWith('json'))) return text
  try {
    if (isDeep(text)) throw new Error('it is nested too deeply')
    return JSON.parse(text) as unknown
  } catch (error) {
    throw wrongInput('The body is no JSON.', [{ path: '', message: (error as Error).message }])
  }
}

function content({ schema }: ContractOperation): Schema {
  return bag(bag(schema['requestBody'])['content'])
}

function bag(value: unknown): Schema {
  return isObject(value) ? value : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
