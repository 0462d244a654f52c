import type { IncomingMessage } from 'node:http'
import type { Contract } from '../../../contract/Contract.ts'
import { describeViolation, type Validator } from '../../../contract/validator/createValidator.ts'
import { harEntry, type HarExchange } from '../../../lib/harEntry.ts'
import { toPairs } from '../../../lib/http.ts'
import { realTime, type Instant } from '../../simulator.ts'
import { decodeBody } from '../decodeBody.ts'
import { parseCall } from '../parseCall.ts'
import { checkResponse } from '../checkResponse.ts'
import { parseAuthorization, type RecordedExchange } from '../RecordedExchange.ts'
import type { RecordedCredentials } from '../readHar.ts'
import { RecordingRedactor } from '../RecordingRedactor.ts'
import type { HarFile } from './HarFile.ts'

export interface RecordingOptions {
  contract: Contract
  /** Fields whose values are recorded unchanged */
  keep: readonly string[]
  /** Called with a line for each contract violation, as it happens */
  onViolation: (line: string) => void
  /** Called if the target gives no response, or the file can't be written */
  onFailure: (reason: string) => void
}

export type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> &
  Partial<Pick<IncomingMessage, 'statusCode' | 'statusMessage'>>

export interface Message {
  head: Head
  /** The whole body, or its beginning if `rest` is set */
  body: Buffer
  /** The rest of a body that is too long to be recorded */
  rest?: AsyncIterable<Buffer>
}

/** A request that reached the target. */
interface ForwardedRequest {
  started: Instant
  request: Message
  response?: Message
  /** The reason why there is no response */
  error?: string
}

/** Writes exchanges to the file, without credentials. */
export class Recording {
  readonly counts = {
    /** Number of exchanges in the file */
    written: 0,
    /** Number of written exchanges that aren't calls to this API */
    unknown: 0,
    /** Number of exchanges that couldn't be written */
    lost: 0,
  }
  readonly #options: RecordingOptions & { file: HarFile; target: URL; validator: Validator }
  readonly #redactor: RecordingRedactor
  readonly #logins: string[] = []
  readonly #secrets: string[] = []

  constructor(options: RecordingOptions & { file: HarFile; target: URL; validator: Validator }) {
    this.#options = options
    this.#redactor = new RecordingRedactor(options.keep)
  }

  add({ started, request, response, error }: ForwardedRequest): void {
    const { target, contract } = this.#options
    const { method = '', url = '', headers } = request.head
    const prefix = target.pathname.replace(/\/$/, '')
    const _credentials = this.#anonymize(headers.authorization)
    const real: HarExchange = {
      startedDateTime: new Date(started).toISOString(),
      time: realTime() - started,
      request: { method, url: target.origin + prefix + url, ...readContent(request) },
      response: { status: response?.head.statusCode ?? 0, ...readContent(response) },
      custom: { _credentials, ...(error !== undefined && { _error: error }) },
    }
    const call = parseCall(harEntry(real), this.counts.written + 1, contract)
    if (typeof call === 'string') {
      const [pathname = ''] = url.split('?', 1)
      // Calls to other paths are recorded without path and bodies.
      const label = this.#write(real, `/${this.#redactor.redactSegment(pathname)}`)
      const [, apiPath] = /(\/api\/.*)/.exec(pathname) ?? []
      if (method === 'OPTIONS' || apiPath === undefined || error !== undefined) return
      const names = apiPath.replace(/[^/]+/g, (part) => this.#redactor.redactName(part))
      const issue = call === 'not this API' ? 'a path that is not in the contract' : call
      this.#options.onViolation(`${label} ${method} ${real.response.status}: request: ${issue}: ${names}`)
    } else {
      const exchange = this.#redactor.redact(call.exchange)
      const basePath = call.base.slice(target.origin.length)
      const path =
        basePath.replace(/[^/]+/g, (part) => this.#redactor.redactSegment(part)) + exchange.request.url
      const label = this.#write(real, path, exchange)
      if (call.skipReason === undefined) this.#check(exchange, label)
    }
  }

  /**
   * Writes an exchange to the file. If that fails, traffic still passes.
   * @param exchange the redacted exchange
   * @returns its description for messages
   */
  #write(real: HarExchange, path: string, exchange?: RecordedExchange): string {
    const { request, response } = real
    const entry = harEntry({
      ...real,
      request: {
        method: request.method,
        url: this.#options.target.origin + path,
        headers: this.#redactor.redactHeaders(request.headers),
        body: request.body && (exchange?.request.body ?? ''),
      },
      response: {
        status: response.status,
        headers: this.#redactor.redactHeaders(response.headers),
        body: response.body && (exchange?.response.body ?? ''),
      },
    })
    try {
      this.#options.file.add(entry)
      if (!exchange) this.counts.unknown++
      return `#${++this.counts.written}`
    } catch (error) {
      this.counts.lost++
      this.#options.onFailure(`the archive can't be written (${(error as NodeJS.ErrnoException).code})`)
      return 'not recorded:'
    }
  }

  /** Anonymizes credentials. Equal credentials get the same number. */
  #anonymize(authorization: string | undefined): RecordedCredentials {
    if (authorization === undefined) return { type: 'none' }
    const credentials = parseAuthorization(authorization)
    if (!credentials) return { type: 'other' }
    const getNumber = (list: string[], value: string): number =>
      (list.includes(value) ? list.indexOf(value) : list.push(value) - 1) + 1
    return {
      type: 'basic',
      login: `account-${getNumber(this.#logins, credentials.login)}`,
      secret: `secret-${getNumber(this.#secrets, credentials.key)}`,
    }
  }

  /** Validates the redacted exchange, so that messages can't contain secrets. */
  #check({ operation, path, request, response }: RecordedExchange, label: string): void {
    const { validator, onViolation } = this.#options
    const { operationId, bodyTypes } = operation
    const parts = { path, query: undefined, headers: {}, bodyType: bodyTypes[0], body: request.value }
    const isBroken = bodyTypes.length > 0 && request.body !== undefined && request.value === undefined
    const requestIssues = isBroken
      ? ['the body is not valid JSON']
      : validator.validateRequest(operation, parts).map(describeViolation)
    const { violations: responseIssues } = checkResponse(operation, response, validator)
    for (const [side, issues] of [['request', requestIssues] as const, ['response', responseIssues] as const])
      for (const issue of issues) onViolation(`${label} ${operationId} ${response.status}: ${side}: ${issue}`)
  }
}

function readContent(message: Message | undefined): Pick<HarExchange['response'], 'headers' | 'body'> {
  if (!message) return { headers: [], body: '' }
  const { rawHeaders, headers } = message.head
  const isKept = message.rest === undefined
  const text = (): string | undefined =>
    isKept ? decodeBody(message.body, headers['content-encoding']) : undefined
  const body = message.body.length === 0 ? '' : text()
  return { headers: toPairs(rawHeaders).map(([name, value]) => ({ name, value })), body }
}
