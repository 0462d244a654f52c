import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Contract, mediaOf } from '../../contract/Contract.ts'
import { describeViolation, type Validator } from '../../contract/validator/createValidator.ts'
import { harEntry } from '../../lib/harEntry.ts'
import { pairsOf } from '../../lib/http.ts'
import { realTime } from '../../world/time.ts'
import { issuesOf } from '../compare.ts'
import { jsonOf } from '../../lib/json.ts'
import { credentialsIn, type Exchange } from '../Exchange.ts'
import { placeOf } from '../placeOf.ts'
import type { RecordedCredentials } from '../readHar.ts'
import { RecordingRedactor } from '../RecordingRedactor.ts'
import { Placeholders } from '../Placeholders.ts'
import type { HarFile } from './HarFile.ts'
import { PendingExchange } from './PendingExchange.ts'

export interface RecordingOptions {
  contract: Contract
  /** Fields whose values are kept as they are */
  keep: readonly string[]
  /** Called with a line for each contract violation, as it happens */
  onViolation: (line: string) => void
  /** Called if the target gives no response, or the file can't be written, once for each reason */
  onFailure: (reason: string) => void
}

/** What the archive and the messages have of an exchange. */
interface Shown {
  /** undefined if the contract doesn't have the call */
  exchange?: Exchange
  /** Path and query */
  url: string
  /** Whether the body of the request is there, if it has one */
  isRequestKept: boolean
  /** Whether the body of the response is there */
  isKept: boolean
  /** Why a call of the API is not one of the contract */
  issue?: string
}

/** Writes exchanges to the file, without anyone's credentials. */
export class Recording {
  readonly counts = {
    /** In the file */
    written: 0,
    /** How many of them are not calls that the contract has */
    unknown: 0,
    /** Could not be written */
    lost: 0,
  }
  readonly #options: RecordingOptions & { file: HarFile; target: URL; validator: Validator }
  /** What all paths of the contract begin with: `/api/` */
  readonly #start: string
  readonly #placeholders: Placeholders
  readonly #redactor: RecordingRedactor
  readonly #logins: string[] = []
  readonly #secrets: string[] = []

  constructor(options: RecordingOptions & { file: HarFile; target: URL; validator: Validator }) {
    this.#options = options
    const { operations } = options.contract
    const starts = new Set(operations.map(({ path }) => path.slice(0, path.indexOf('/', 1) + 1)))
    this.#start = starts.size === 1 ? ([...starts][0] ?? '') : ''
    this.#placeholders = new Placeholders(options.keep)
    this.#redactor = new RecordingRedactor(this.#placeholders, options.contract)
  }

  begin(request: IncomingMessage): PendingExchange {
    return new PendingExchange(request, (one, error) => this.#keep(one, error))
  }

  #keep(one: PendingExchange, error: string | undefined): void {
    const { target, onViolation } = this.#options
    const { request, answer } = one
    const { method = '' } = request
    const credentials = this.#credentialsOf(one.headers)
    const shown = this.#shownOf(one, error)
    const { exchange, url, isRequestKept, isKept, issue } = shown
    const status = error === undefined ? (answer?.statusCode ?? 0) : 0
    const isWritten = this.#add(
      harEntry({
        startedDateTime: new Date(one.started).toISOString(),
        durationMs: realTime() - one.started,
        request: {
          method,
          url: target.origin + this.#prefix(target.pathname.replace(/\/$/, '')) + url,
          headers: this.#redactor.headers(pairsOf(request.rawHeaders)),
          body: exchange?.request.body ?? '',
          ...(!isRequestKept && { bodySize: -1 }),
        },
        response: {
          status,
          headers: answer ? this.#redactor.headers(pairsOf(answer.rawHeaders)) : [],
          body: isKept ? (exchange?.response.body ?? '') : undefined,
        },
        custom: { _credentials: credentials, ...(error !== undefined && { _error: error }) },
      }),
    )
    if (isWritten && !exchange) this.counts.unknown++
    if (error !== undefined) return // the request may be incomplete, too
    if (exchange) this.#check(exchange, shown, isWritten)
    if (issue !== undefined) onViolation(`${this.#label(isWritten)} ${method} ${status}: request: ${issue}`)
  }

  /** What can be shown of it: if the contract doesn't have the call, not even the path is kept. */
  #shownOf(one: PendingExchange, error: string | undefined): Shown {
    const { method = '' } = one.request
    const [pathname = ''] = one.url.split('?', 1)
    const place = pathname.startsWith('/') ? placeOf(pathname, method, this.#options.contract) : undefined
    if (typeof place !== 'object') {
      const isOfApi = method !== 'OPTIONS' && pathname.includes(this.#start)
      const path = pathname
        .slice(pathname.indexOf(this.#start))
        .replace(/[^/]+/g, (part) => this.#placeholders.name(part))
      const issue = `${place ?? 'a path that is not in the contract'}: ${path}`
      const kept = { isRequestKept: true, isKept: true }
      return { url: `/${this.#segment(pathname)}`, ...kept, ...(isOfApi && { issue }) }
    }
    const text = error === undefined ? one.responseBytes.text(one.answer?.headers['content-encoding']) : ''
    const { requestBody } = one
    const real = this.#exchangeOf(one, place, requestBody, text)
    this.#redactor.exchange(real) // what begins with a product's name may end with the password that is in it
    const exchange = this.#redactor.exchange(real)
    const prefix = this.#prefix(pathname.slice(0, place.start))
    const kept = { isRequestKept: requestBody !== undefined, isKept: text !== undefined }
    return { exchange, url: prefix + exchange.request.url, ...kept }
  }

  /** If the file can't be written, traffic passes nevertheless. */
  #add(entry: object): boolean {
    try {
      this.#options.file.add(entry)
    } catch (error) {
      this.counts.lost++
      this.#options.onFailure(`the archive can't be written (${(error as NodeJS.ErrnoException).code})`)
      return false
    }
    this.counts.written++
    return true
  }

  #prefix(path: string): string {
    return path.replace(/[^/]+/g, (part) => this.#segment(part))
  }

  /** A placeholder for a part of a path that isn't the API's. */
  #segment(text: string): string {
    return this.#placeholders
      .of('text', text)
      .replace(/[^\w]+/g, '-')
      .replace(/^-|-$/g, '')
  }

  /** The exchange's number in the archive. */
  #label(isWritten: boolean): string {
    return isWritten ? `#${this.counts.written}` : 'not recorded:'
  }

  #exchangeOf(
    one: PendingExchange,
    { operation, path }: Pick<Exchange, 'operation' | 'path'>,
    requestBody: string | undefined,
    text = '',
  ): Exchange {
    const { url, headers, answer, requestBytes } = one
    const body = requestBytes.length === 0 ? undefined : requestBody
    return {
      number: this.counts.written + 1,
      at: one.started,
      operation,
      path,
      request: {
        url,
        contentType: headers['content-type'],
        body,
        value: jsonOf(body),
        credentials: { form: 'unknown' },
      },
      response: {
        status: answer?.statusCode ?? 0,
        type: mediaOf(answer?.headers['content-type']),
        body: text,
        value: jsonOf(text),
      },
    }
  }

  /** Which credentials were the same, but not what they were. */
  #credentialsOf({ authorization }: IncomingHttpHeaders): RecordedCredentials {
    if (authorization === undefined) return { form: 'none' }
    const credentials = credentialsIn(authorization)
    if (credentials.form !== 'basic') return credentials
    for (const secret of credentials.secrets) this.#placeholders.learn(secret)
    const place = (list: string[], value: string): number =>
      (list.includes(value) ? list.indexOf(value) : list.push(value) - 1) + 1
    return {
      form: 'basic',
      login: `account-${place(this.#logins, credentials.login)}`,
      secret: `secret-${place(this.#secrets, credentials.key)}`,
    }
  }

  /** Checks what the archive has, so that messages can't show anything else. */
  #check(exchange: Exchange, { isRequestKept, isKept }: Shown, isWritten: boolean): void {
    const { validator, onViolation } = this.#options
    const { operation, path, request, response } = exchange
    const report = (side: string, what: string): void =>
      onViolation(`${this.#label(isWritten)} ${operation.operationId} ${response.status}: ${side}: ${what}`)
    const [bodyType] = operation.bodyTypes
    const requestViolations = validator.request(operation, {
      path,
      query: undefined,
      headers: {},
      bodyType,
      body: request.value,
    })
    if (bodyType !== undefined && request.body !== undefined && request.value === undefined)
      report('request', 'the body is not valid JSON')
    else
      for (const one of requestViolations)
        if (isRequestKept || one.in !== 'body') report('request', describeViolation(one))
    if (!isKept) return
    const issues = issuesOf(operation, response, validator)
    for (const issue of new Set(issues)) report('response', issue)
  }
}
