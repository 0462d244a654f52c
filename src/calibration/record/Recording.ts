import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Contract, mediaOf } from '../../contract/Contract.ts'
import { describeViolation, type Validator } from '../../contract/validator/createValidator.ts'
import { harEntry } from '../../lib/harEntry.ts'
import { pairsOf } from '../../lib/http.ts'
import { jsonOf } from '../../lib/json.ts'
import { realTime, type Instant } from '../../world/time.ts'
import { textOf } from '../bodies.ts'
import { issuesOf } from '../compare.ts'
import { credentialsIn, type Exchange } from '../Exchange.ts'
import { Placeholders } from '../Placeholders.ts'
import { placeOf, type RecordedCredentials } from '../readHar.ts'
import { RecordingRedactor } from '../RecordingRedactor.ts'
import type { HarFile } from './HarFile.ts'

export interface RecordingOptions {
  contract: Contract
  /** Fields whose values are kept as they are */
  keep: readonly string[]
  /** Called with a line for each contract violation, as it happens */
  onViolation: (line: string) => void
  /** Called if the target gives no response, or the file can't be written, once for each reason */
  onFailure: (reason: string) => void
}

export interface Message {
  head: IncomingMessage
  body: Buffer
}

/** A request that reached the target. */
interface Passed {
  started: Instant
  request: Message
  response?: Message
  /** Why there is no response */
  error?: string
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
  readonly #placeholders: Placeholders
  readonly #redactor: RecordingRedactor
  readonly #logins: string[] = []
  readonly #secrets: string[] = []

  constructor(options: RecordingOptions & { file: HarFile; target: URL; validator: Validator }) {
    this.#options = options
    this.#placeholders = new Placeholders(options.keep)
    this.#redactor = new RecordingRedactor(this.#placeholders, options.contract)
  }

  add({ started, request, response, error }: Passed): void {
    const { target, contract } = this.#options
    const { method = '', url = '', headers, rawHeaders } = request.head
    const [pathname = ''] = url.split('?', 1)
    const credentials = this.#credentialsOf(headers) // first, as it learns them
    const found = placeOf(pathname, method, contract)
    const place = typeof found === 'object' ? found : undefined
    const asked = bodyOf(request)
    const answered = response ? bodyOf(response) : ''
    const exchange = place && this.#exchangeOf(place, request, asked, response, answered)
    const base = target.pathname.replace(/\/$/, '')
    // Of a call that the contract doesn't have, not even the path is kept.
    const path = exchange
      ? this.#hidden(base + pathname.slice(0, place.start)) + exchange.request.url
      : `${this.#hidden(base)}/${this.#hiddenPart(pathname)}`
    const status = response?.head.statusCode ?? 0
    const isWritten = this.#write(
      harEntry({
        startedDateTime: new Date(started).toISOString(),
        durationMs: realTime() - started,
        request: {
          method,
          url: target.origin + path,
          headers: this.#redactor.headers(pairsOf(rawHeaders)),
          body: exchange?.request.body ?? '',
          ...(exchange && asked === undefined && { bodySize: -1 }),
        },
        response: {
          status,
          headers: response ? this.#redactor.headers(pairsOf(response.head.rawHeaders)) : [],
          body: exchange && answered === undefined ? undefined : (exchange?.response.body ?? ''),
        },
        custom: { _credentials: credentials, ...(error !== undefined && { _error: error }) },
      }),
    )
    if (isWritten && !exchange) this.counts.unknown++
    if (error !== undefined) return
    const label = isWritten ? `#${this.counts.written}` : 'not recorded:'
    const report = (operation: string, side: string, what: string): void =>
      this.#options.onViolation(`${label} ${operation} ${status}: ${side}: ${what}`)
    if (exchange) this.#check(exchange, asked !== undefined, answered !== undefined, report)
    else if (method !== 'OPTIONS' && pathname.includes('/api/')) {
      const names = pathname
        .slice(pathname.indexOf('/api/'))
        .replace(/[^/]+/g, (part) => this.#placeholders.name(part))
      const issue = typeof found === 'string' ? found : 'a path that is not in the contract'
      report(method, 'request', `${issue}: ${names}`)
    }
  }

  /** If the file can't be written, traffic passes nevertheless. */
  #write(entry: object): boolean {
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

  /** A path that isn't the API's, with placeholders for its parts. */
  #hidden(path: string): string {
    return path.replace(/[^/]+/g, (part) => this.#hiddenPart(part))
  }

  #hiddenPart(text: string): string {
    return this.#placeholders.of('text', text).replace(/\W+/g, '-').replace(/^-|-$/g, '')
  }

  /** What can be shown of a call. */
  #exchangeOf(
    { operation, path, start }: Pick<Exchange, 'operation' | 'path'> & { start: number },
    { head }: Message,
    asked: string | undefined,
    response: Message | undefined,
    answered: string | undefined,
  ): Exchange {
    const body = asked === '' ? undefined : asked
    const real: Exchange = {
      number: this.counts.written + 1,
      at: 0,
      operation,
      path,
      request: {
        url: (head.url ?? '').slice(start),
        contentType: head.headers['content-type'],
        body,
        value: jsonOf(body),
        credentials: { form: 'unknown' },
      },
      response: {
        status: response?.head.statusCode ?? 0,
        type: mediaOf(response?.head.headers['content-type']),
        body: answered ?? '',
        value: jsonOf(answered),
      },
    }
    this.#redactor.exchange(real) // what begins with a product's name may end with the password that is in it
    return this.#redactor.exchange(real)
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
  #check(
    { operation, path, request, response }: Exchange,
    isRequestKept: boolean,
    isResponseKept: boolean,
    report: (operation: string, side: string, what: string) => void,
  ): void {
    const { validator } = this.#options
    const { operationId, bodyTypes } = operation
    const parts = { path, query: undefined, headers: {}, bodyType: bodyTypes[0], body: request.value }
    const violations = validator.request(operation, parts)
    if (bodyTypes.length > 0 && request.body !== undefined && request.value === undefined)
      report(operationId, 'request', 'the body is not valid JSON')
    else
      for (const one of violations)
        if (isRequestKept || one.in !== 'body') report(operationId, 'request', describeViolation(one))
    const issues = isResponseKept ? issuesOf(operation, response, validator) : []
    for (const issue of new Set(issues)) report(operationId, 'response', issue)
  }
}

function bodyOf({ head, body }: Message): string | undefined {
  return body.length === 0 ? '' : textOf(body, head.headers['content-encoding'])
}
