import {
  Agent as HttpAgent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createProxyServer } from 'http-proxy-3'
import type { Contract } from '../../contract/Contract.ts'
import { createValidator, type Validator } from '../../contract/validator/createValidator.ts'
import { realTime } from '../../state/clock.ts'
import { closeServer, listen, urlOf } from '../../listen.ts'
import { harEntry } from '../../harEntry.ts'
import { pairsOf } from '../../pairsOf.ts'
import { UserError } from '../../UserError.ts'
import { jsonOf } from '../../jsonOf.ts'
import { basicOf, mediaOf, type Exchange } from '../Exchange.ts'
import { decompressed, maxKeptBytes, type RecordedCredentials } from '../readHar.ts'
import { readAnswer } from '../parts.ts'
import { placeOf } from '../placeOf.ts'
import { RecordingRedactor } from '../RecordingRedactor.ts'
import { StandIns } from '../StandIns.ts'
import { HarFile } from './HarFile.ts'

export interface RecorderOptions {
  /** `https://real.example`, with a path if the API is mounted below one */
  target: string
  host: string
  /** 0 picks a free one */
  port: number
  /** The HAR file */
  output: string
  contract: Contract
  /** Fields whose values are kept as they are */
  keep: readonly string[]
  /** Called with a line for each contract violation, as it happens */
  onViolation: (line: string) => void
  /** Called if the target gives no response, or the file can't be written, once for each reason */
  onFailure: (reason: string) => void
}

export interface Recorder {
  url: string
  /** Exchanges in the file so far */
  readonly count: number
  /** How many of them are not calls that the contract has */
  readonly unknown: number
  /** Exchanges that could not be written to it */
  readonly lost: number
  close: () => Promise<void>
}

/** Marks a response as the recorder's own, and says why. */
const errorHeader = 'proxysim-record-error'

/** A reverse proxy in front of the real service that records what passes through. @throws UserError */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const target = targetOf(options.target)
  const { contract } = options
  const validator = await createValidator(contract)
  const isSecure = target.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const proxy = createProxyServer({
    target,
    agent,
    changeOrigin: true, // the real service is known by its own name
    preserveHeaderKeyCase: true,
    xfwd: false,
    selfHandleResponse: true,
  })
  const pending = new WeakMap<IncomingMessage, PendingExchange>()
  proxy.on('proxyRes', (answer, request, response) => {
    const one = pending.get(request)
    if (one) pass(one, answer, response)
  })
  const reasons = new Set<string>()
  const fail = (reason: string): void => {
    if (!reasons.has(reason)) options.onFailure(reason)
    reasons.add(reason)
  }
  proxy.on('error', (error, request, response) => {
    const one = pending.get(request)
    if (!one || !('writeHead' in response)) return
    fail(failed(one, response, error))
  })
  const server = createServer((request, response) => {
    const one = recording.begin(request)
    pending.set(request, one)
    request.on('data', (chunk: Buffer) => one.requestBytes.add(chunk))
    // If the client disconnects, the request to the target ends too.
    response.once('close', () => one.finish('the client disconnected before the response was complete'))
    request.headers = asWritten(request.rawHeaders)
    proxy.web(request, response)
  })
  await listen(server, options.port, options.host)
  // Only now, so that a start that fails leaves no file behind; no request is read before the next turn of the event loop.
  const file = openFor(server, options.output)
  const recording = new Recording(file, contract, validator, target, { ...options, onFailure: fail })
  return {
    url: urlOf(server, options.host),
    get count() {
      return recording.count
    },
    get unknown() {
      return recording.unknown
    },
    get lost() {
      return recording.lost
    },
    async close() {
      await closeServer(server)
      agent.destroy()
      file.close()
    },
  }
}

function targetOf(text: string): URL {
  if (!URL.canParse(text)) throw new UserError('The target is not a URL such as https://real.example.')
  const target = new URL(text)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new UserError('The target must begin with http:// or https://.')
  if (target.username !== '' || target.password !== '')
    throw new UserError('The target must not contain credentials; the client sends them.')
  return target
}

function openFor(server: Server, output: string): HarFile {
  try {
    return new HarFile(output)
  } catch (error) {
    server.close()
    throw error
  }
}

/** Streams a response to the client; its end waits until the exchange is recorded. */
function pass(one: PendingExchange, answer: IncomingMessage, response: ServerResponse): void {
  one.answer = answer
  const length = answer.headers['content-length']
  const expected = length === undefined ? undefined : Number(length)
  const { method } = one.request
  const hasNoBody =
    method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304 || expected === 0
  if (hasNoBody) one.finish()
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', withoutHops(answer.rawHeaders))
  if (!hasNoBody && expected === undefined) response.flushHeaders()
  answer.on('data', (chunk: Buffer) => {
    one.responseBytes.add(chunk)
    // With a Content-Length, this byte is the end for the client.
    if (expected !== undefined && one.responseBytes.length >= expected) one.finish()
    if (!response.write(chunk)) {
      answer.pause()
      response.once('drain', () => answer.resume())
    }
  })
  answer.on('end', () => {
    one.finish()
    response.end()
  })
  for (const event of ['error', 'aborted'])
    answer.on(event, () => {
      one.finish('the target aborted the response')
      response.destroy()
    })
}

/**
 * Keeps the client's spelling of header names and repeated headers apart. Names that the proxy itself reads are
 * lower-case.
 */
function asWritten(raw: readonly string[]): IncomingHttpHeaders {
  const written: Record<string, string | string[]> = {}
  for (const [name, value] of pairsOf(raw)) {
    const key = name.toLowerCase()
    const spelling = hops.has(key) || ownHeaders.has(key) ? key : name
    const before = written[spelling]
    written[spelling] = before === undefined ? value : [before, value].flat()
  }
  return written
}

const ownHeaders = new Set(['host', 'content-length', 'expect'])

const hops = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** The headers as received, without the hop-by-hop ones. */
function withoutHops(raw: readonly string[]): string[] {
  return pairsOf(raw)
    .filter(([name]) => !hops.has(name.toLowerCase()))
    .flat()
}

/** @returns why there is no response */
function failed(one: PendingExchange, response: ServerResponse, error: NodeJS.ErrnoException): string {
  const reason = `the target can't be reached (${error.code ?? 'no answer'})`
  if (wasConnected(error)) one.finish(reason)
  else one.forget()
  if (response.headersSent) response.destroy()
  else {
    response.writeHead(502, { 'content-type': 'application/json', [errorHeader]: reason })
    response.end(JSON.stringify({ error: `proxysim record: ${reason}` }))
  }
  return reason
}

/** If there was a connection, the target may have carried out the request: that belongs in the recording. */
function wasConnected({ code = '', syscall }: NodeJS.ErrnoException): boolean {
  return /^(?:ECONNRESET|EPIPE|HPE_)/.test(code) || syscall === 'read'
}

/** The bytes of a body, up to a limit. */
class Bytes {
  #chunks: Buffer[] = []
  length = 0

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.length <= maxKeptBytes) this.#chunks.push(chunk)
    else this.#chunks = []
  }

  /** undefined if it is too long, or can't be decompressed */
  text(encoding: string | undefined): string | undefined {
    return this.length <= maxKeptBytes
      ? decompressed(Buffer.concat(this.#chunks), encoding)?.toString('utf8')
      : undefined
  }
}

/** An exchange in progress. */
class PendingExchange {
  readonly request: IncomingMessage
  /** Lower-case names */
  readonly headers: IncomingHttpHeaders
  readonly started = realTime()
  readonly requestBytes = new Bytes()
  readonly responseBytes = new Bytes()
  answer: IncomingMessage | undefined
  readonly #keep: (one: PendingExchange, error: string | undefined) => void
  /** Whether it is recorded, or never will be */
  #isOver = false

  constructor(request: IncomingMessage, keep: (one: PendingExchange, error: string | undefined) => void) {
    this.request = request
    this.headers = request.headers
    this.#keep = keep
  }

  /** Records it, once. @param error why the response is incomplete */
  finish(error?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#keep(this, error)
  }

  /** It never reached the target, so it isn't recorded. */
  forget(): void {
    this.#isOver = true
  }
}

/** What the archive and the messages have of an exchange. */
interface Shown {
  /** undefined if the contract doesn't have the call */
  exchange?: Exchange
  /** Path and query */
  url: string
  /** Whether the body of the response is there */
  isKept: boolean
  /** Why a call of the API is not one of the contract */
  issue?: string
}

/** Writes exchanges to the file, without anyone's credentials. */
class Recording {
  count = 0
  unknown = 0
  lost = 0
  readonly #file: HarFile
  readonly #contract: Contract
  readonly #validator: Validator
  readonly #target: URL
  /** What all paths of the contract begin with: `/api/` */
  readonly #start: string
  readonly #onViolation: (line: string) => void
  readonly #onFailure: (reason: string) => void
  readonly #standIns: StandIns
  readonly #redactor: RecordingRedactor
  readonly #logins: string[] = []
  readonly #secrets: string[] = []

  constructor(
    file: HarFile,
    contract: Contract,
    validator: Validator,
    target: URL,
    { keep, onViolation, onFailure }: Pick<RecorderOptions, 'keep' | 'onViolation' | 'onFailure'>,
  ) {
    this.#file = file
    this.#contract = contract
    this.#validator = validator
    this.#target = target
    const starts = new Set(contract.operations.map(({ path }) => path.slice(0, path.indexOf('/', 1) + 1)))
    this.#start = starts.size === 1 ? ([...starts][0] ?? '') : ''
    this.#onViolation = onViolation
    this.#onFailure = onFailure
    this.#standIns = new StandIns(keep)
    this.#redactor = new RecordingRedactor(this.#standIns)
  }

  begin(request: IncomingMessage): PendingExchange {
    return new PendingExchange(request, (one, error) => this.#keep(one, error))
  }

  #keep(one: PendingExchange, error: string | undefined): void {
    const { request, answer } = one
    const { method = '' } = request
    const credentials = this.#credentialsOf(one.headers)
    const { exchange, url, isKept, issue } = this.#shownOf(one, error)
    const status = error === undefined ? (answer?.statusCode ?? 0) : 0
    const isWritten = this.#add(
      harEntry({
        startedDateTime: new Date(one.started).toISOString(),
        durationMs: realTime() - one.started,
        request: {
          method,
          url: this.#target.origin + this.#target.pathname.replace(/\/$/, '') + url,
          headers: this.#redactor.headers(pairsOf(request.rawHeaders)),
          body: exchange?.request.body ?? '',
        },
        response: {
          status,
          headers: answer ? this.#redactor.headers(pairsOf(answer.rawHeaders)) : [],
          body: isKept ? (exchange?.response.body ?? '') : undefined,
        },
        custom: { _credentials: credentials, ...(error !== undefined && { _error: error }) },
      }),
    )
    if (isWritten && !exchange) this.unknown++
    if (error !== undefined) return // the request may be incomplete, too
    if (exchange) this.#check(exchange, isKept, isWritten)
    if (issue !== undefined)
      this.#onViolation(`${this.#label(isWritten)} ${method} ${status}: request: ${issue}`)
  }

  /** What can be shown of it: if the contract doesn't have the call, not even the path is kept. */
  #shownOf(one: PendingExchange, error: string | undefined): Shown {
    const { method = '', url = '/' } = one.request
    const [pathname = '', search = ''] = url.split(/(?=\?)/s)
    const place = pathname.startsWith('/') ? placeOf(pathname, method, this.#contract) : undefined
    if (typeof place !== 'object') {
      const isOfApi = method !== 'OPTIONS' && pathname.includes(this.#start)
      const path = pathname
        .slice(pathname.indexOf(this.#start))
        .replace(/[^/]+/g, (part) => this.#standIns.name(part))
      const issue = `${place ?? 'a path that is not in the contract'}: ${path}`
      return { url: `/${this.#segment(pathname)}`, isKept: true, ...(isOfApi && { issue }) }
    }
    const text = error === undefined ? one.responseBytes.text(one.answer?.headers['content-encoding']) : ''
    const exchange = this.#redacted(this.#exchangeOf(one, place, text))
    const prefix = pathname.slice(0, place.start).replace(/[^/]+/g, (part) => this.#segment(part))
    return { exchange, url: prefix + this.#redactor.url(exchange, search), isKept: text !== undefined }
  }

  /** If the file can't be written, traffic passes nevertheless. */
  #add(entry: object): boolean {
    try {
      this.#file.add(entry)
    } catch (error) {
      this.lost++
      this.#onFailure(`the archive can't be written (${(error as NodeJS.ErrnoException).code})`)
      return false
    }
    this.count++
    return true
  }

  /** A stand-in for a part of a path that isn't the API's. */
  #segment(text: string): string {
    return this.#standIns
      .of('text', text)
      .replace(/[^\w]+/g, '-')
      .replace(/^-|-$/g, '')
  }

  /** The exchange's number in the archive. */
  #label(isWritten: boolean): string {
    return isWritten ? `#${this.count}` : 'not recorded:'
  }

  #exchangeOf(
    one: PendingExchange,
    { operation, path }: Pick<Exchange, 'operation' | 'path'>,
    text = '',
  ): Exchange {
    const { request, headers, answer, requestBytes } = one
    const body =
      requestBytes.length === 0 ? undefined : (requestBytes.text(headers['content-encoding']) ?? '')
    return {
      number: this.count + 1,
      at: one.started,
      operation,
      path,
      request: {
        url: request.url ?? '',
        contentType: headers['content-type'],
        body,
        value: jsonOf(body),
        credentials: { kind: 'unknown' },
      },
      response: {
        status: answer?.statusCode ?? 0,
        type: mediaOf(answer?.headers['content-type']),
        body: text,
        value: jsonOf(text),
      },
    }
  }

  /** As the archive has it. This is what is checked, too, so that messages can't show anything else. */
  #redacted(exchange: Exchange): Exchange {
    const { operation, request, response } = exchange
    const [asked, answered] = [this.#redactor.request(exchange), this.#redactor.answer(operation, response)]
    return {
      ...exchange,
      request: { ...request, body: asked, value: jsonOf(asked) },
      response: { ...response, body: answered, value: jsonOf(answered) },
    }
  }

  /** Which credentials were the same, but not what they were. */
  #credentialsOf({ authorization }: IncomingHttpHeaders): RecordedCredentials {
    if (authorization === undefined) return { form: 'none' }
    const basic = basicOf(authorization)
    if (typeof basic === 'string') return { form: basic }
    for (const secret of basic.secrets) this.#standIns.learn(secret)
    const place = (list: string[], value: string): number =>
      (list.includes(value) ? list.indexOf(value) : list.push(value) - 1) + 1
    return {
      form: 'basic',
      login: `account-${place(this.#logins, basic.login)}`,
      secret: `secret-${place(this.#secrets, basic.key)}`,
    }
  }

  #check(exchange: Exchange, isKept: boolean, isWritten: boolean): void {
    const { operation, path, request, response } = exchange
    const report = (side: string, what: string): void =>
      this.#onViolation(
        `${this.#label(isWritten)} ${operation.operationId} ${response.status}: ${side}: ${this.#standIns.scrub(what)}`,
      )
    const [bodyType] = operation.bodyTypes
    const requestViolations = this.#validator.request(operation, {
      path,
      query: undefined,
      headers: {},
      bodyType,
      body: request.value,
    })
    if (bodyType !== undefined && request.body !== undefined && request.value === undefined)
      report('request', 'the body is not valid JSON')
    else for (const { message } of requestViolations) report('request', message)
    if (!isKept) return
    const { status, type, body } = response
    const responseViolations = this.#validator.response(operation, { status, type, body })
    const { issues } = readAnswer(operation, path, response)
    for (const message of new Set([...issues, ...(issues.length > 0 ? [] : responseViolations)]))
      report('response', message)
  }
}
