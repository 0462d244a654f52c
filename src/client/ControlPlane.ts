import type { IncomingMessage } from 'node:http'
import { clearTimeout, setTimeout } from 'node:timers'
import { URL } from 'node:url'
import { transferableAbortController } from 'node:util'
import type { AccountSummary, Health } from '../contract/shapes.ts'
import { checkAdminToken, isNotTls } from '../lib/http.ts'
import type { Issue } from '../lib/Issue.ts'
import { listNames } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import { createSender, type Send } from './createSender.ts'
import { SimulatorError } from './SimulatorError.ts'

export interface ControlPlaneOptions {
  /** The simulator's admin token */
  token?: string | undefined
  /** The server's certificate, in PEM, if it isn't trusted otherwise */
  certificate?: string | undefined
  /**
   * Maximum duration of a call in milliseconds, except for calls that may legitimately take longer. The first call also checks
   * that the server is a simulator. @default no limit and no check
   */
  timeout?: number
}

/** Calls whose duration depends on what they load or wait for */
const longCalls =
  /^(?:POST \/scenarios\/.*\/load|PUT \/scenario|POST \/reset|POST \/snapshots\/.*\/restore|POST \/clock\/advance|POST \/requests\/wait)$/

/** Maximum duration of a call that doesn't load, reset or wait, in milliseconds */
export const callTimeout = 30_000

/** Maximum size of a response, in bytes */
const maxResponseSize = 256 * 1024 * 1024

export interface CallOptions {
  /** Undefined values are omitted */
  query?: Record<string, string | number | undefined>
  /** Sent as JSON; a string is sent unchanged */
  body?: unknown
  /** Content type of the body. @default 'application/json' */
  type?: string
}

/** A `URL`, for projects that lack its type */
export interface UrlLike {
  readonly href: string
  toString: () => string
}

/** Calls the control plane of a running simulator over HTTP. */
export class ControlPlane {
  /** Without a trailing slash */
  readonly url: string
  readonly #token: string | undefined
  readonly #timeout: number | undefined
  readonly #sendRequest: Send
  #checked: Promise<void> | undefined
  /** Whether its health check has succeeded */
  #isSimulator = false

  /** @throws UserError if the URL isn't an HTTP URL, or the token can't be sent in a header */
  constructor(address: string | UrlLike, { token, certificate, timeout }: ControlPlaneOptions = {}) {
    const url = String(address) // plain JavaScript may pass any value
    // A password in the URL must not appear in messages.
    if (url.includes('@'))
      throw new UserError('The URL of a simulator must not contain a user or password.', {
        advice: 'Pass the admin token instead.',
        options: ['url', 'adminToken'],
      })
    const parsed = URL.parse(url)
    if (!parsed || !/^https?:$/.test(parsed.protocol))
      throw new UserError(`${JSON.stringify(url)} is not an HTTP URL.`, {
        advice: 'Use the URL of a simulator, such as http://127.0.0.1:4010.',
        options: ['url'],
      })
    if (token) checkAdminToken(token)
    // Drops the query, the fragment and /__admin with what follows, which an address copied from elsewhere may contain.
    this.url = `${parsed.origin}${parsed.pathname}`.replace(/(?:\/__admin(?:\/.*)?)?\/*$/, '')
    this.#token = token || undefined
    this.#timeout = timeout
    this.#sendRequest = createSender(parsed, certificate)
  }

  /** Sends a call, and returns the parsed JSON response. @throws SimulatorError; UserError if no simulator answers */
  async json<T>(method: string, path: string, call?: CallOptions): Promise<T> {
    const text = await this.text(method, path, call)
    return (text === '' ? undefined : this.#parse(text, method, path)) as T
  }

  /** Sends a call, and returns the response as text. @throws SimulatorError; UserError if no simulator answers */
  async text(method: string, path: string, call: CallOptions = {}): Promise<string> {
    if (this.#timeout === undefined) return this.#call(method, path, call)
    await (this.#checked ??= this.#checkHealth(this.#timeout))
    return longCalls.test(`${method} ${path}`)
      ? this.#call(method, path, call)
      : this.#callWithin(this.#timeout, method, path, call)
  }

  /**
   * Yields the simulator's events, starting with `connected`, until it stops or the signal is aborted.
   * @throws SimulatorError; UserError if no simulator answers
   */
  async *events(
    query: CallOptions['query'] = {},
    signal?: AbortSignal,
  ): AsyncGenerator<{ type: string; data: unknown }> {
    // Imported lazily, because few programs follow the events.
    const { createParser } = await import('eventsource-parser')
    const response = await this.#send('GET', '/events', { query }, signal)
    yield { type: 'connected', data: undefined }
    const received: { type: string; data: unknown }[] = []
    const parser = createParser({
      onEvent: ({ event: type, data }) => {
        if (type !== undefined) received.push({ type, data: JSON.parse(data) as unknown })
      },
    })
    try {
      for await (const text of response.setEncoding('utf8') as AsyncIterable<string>) {
        parser.feed(text)
        yield* received.splice(0)
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw error
      // The connection was closed or aborted.
    }
  }

  /** @throws UserError if the server isn't a simulator, or doesn't respond in time */
  async #checkHealth(timeout: number): Promise<void> {
    try {
      const health = this.#parse(await this.#callWithin(timeout, 'GET', '/health', {}), 'GET', '/health')
      if (typeof (health as Partial<Health> | null)?.scenario !== 'string') throw this.#notASimulator()
      this.#isSimulator = true
    } catch (error) {
      // While a simulator is stopping, or its store is away, its health check fails, but other calls may still succeed.
      if (!(error instanceof SimulatorError)) throw error
      // A path that is part of a simulator's address, such as /docs
      if (error.status === 404)
        throw this.#unreachable(`There is no simulator at ${this.url}.`, {
          advice: `Try ${new URL(this.url).origin}.`,
        })
    }
  }

  async #callWithin(timeout: number, method: string, path: string, call: CallOptions): Promise<string> {
    const deadline = transferableAbortController()
    const timer = setTimeout(() => deadline.abort(), timeout)
    try {
      return await this.#call(method, path, call, deadline.signal)
    } catch (error) {
      if (!deadline.signal.aborted) throw error
      throw this.#unreachable(
        `The server at ${this.url} didn't complete its response to ${method} /__admin${path} within ${timeout / 1000} seconds.`,
        { advice: 'Check that a simulator is running there.', cause: error },
      )
    } finally {
      clearTimeout(timer)
    }
  }

  async #call(method: string, path: string, call: CallOptions, signal?: AbortSignal): Promise<string> {
    return this.#readText(await this.#send(method, path, call, signal), method, path)
  }

  /** Sends a call, and returns the response unless it is an error. */
  async #send(
    method: string,
    path: string,
    { query = {}, body, type = 'application/json' }: CallOptions,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const url = new URL(`${this.url}/__admin${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(requireFinite(name, value)))
    const response = await this.#sendRequest(url, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': type }),
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      },
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body, requireFinite),
      }),
      ...(signal && { signal }),
    }).catch((error: unknown) => this.#throwUnreachable(error, method, path))
    const { statusCode = 0, headers } = response
    if (statusCode >= 200 && statusCode < 300) return response
    if (headers.location !== undefined) {
      response.destroy()
      throw this.#unreachable(`The server at ${this.url} redirects to ${headers.location}.`, {
        advice: 'Use the URL of the simulator itself.',
      })
    }
    const text = await this.#readText(response, method, path)
    const refusal = this.#parse(text, method, path) as { error?: unknown; details?: Issue[] } | null
    if (typeof refusal?.error !== 'string') throw this.#unreadable(method, path)
    const { details = [] } = refusal
    // How to name the account depends on the caller, so only the problem is taken from the response.
    if (details[0]?.path === '?account')
      throw new SimulatorError(statusCode, details[0].message, { details, options: ['account'] })
    if (statusCode === 401)
      throw new SimulatorError(statusCode, 'The admin token is missing or wrong.', {
        advice: 'Use the one that the simulator was started with.',
        options: ['adminToken'],
      })
    throw new SimulatorError(statusCode, refusal.error, { details })
  }

  /** Reads a body. @throws UserError if it is too large, or the connection breaks */
  async #readText(response: IncomingMessage, method: string, path: string): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxResponseSize) break // also closes the connection
        chunks.push(chunk)
      }
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      const problem =
        code === 'ECONNRESET'
          ? 'closed the connection in the middle of'
          : `failed in the middle of (${code ?? (cause as Error).message})`
      throw this.#unreachable(
        `The server at ${this.url} ${problem} its response to ${method} /__admin${path}.`,
        { advice: 'Check its log, and try again.', cause },
      )
    }
    if (size > maxResponseSize)
      throw new UserError(`The response of ${this.url} is larger than ${maxResponseSize / 1024 ** 2} MB.`, {
        advice: 'Ask for less, such as with a filter or a limit.',
      })
    return Buffer.concat(chunks).toString()
  }

  #parse(text: string, method: string, path: string): unknown {
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw this.#unreadable(method, path)
    }
  }

  #unreadable(method: string, path: string): UserError {
    if (!this.#isSimulator) return this.#notASimulator()
    return this.#unreachable(
      `The server at ${this.url} sent an unexpected response to ${method} /__admin${path}.`,
      { advice: 'Check that it is a simulator, and of the same version.' },
    )
  }

  #notASimulator(): UserError {
    return this.#unreachable(`The server at ${this.url} is not a simulator.`, {
      advice: 'Use the URL that `proxysim` printed.',
    })
  }

  #unreachable(problem: string, { advice = '', cause }: { advice?: string; cause?: unknown }): UserError {
    return new UserError(problem, { advice, options: ['url'], code: 'ERR_PROXYSIM_UNREACHABLE', cause })
  }

  #throwUnreachable(error: unknown, method: string, path: string): never {
    const cause = error as NodeJS.ErrnoException
    const { url } = this
    if (this.#isSimulator && cause.code === 'ECONNRESET')
      throw this.#unreachable(
        `The server at ${url} closed the connection before its response to ${method} /__admin${path}.`,
        { advice: 'Check its log, and try again.', cause },
      )
    if (cause.code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      throw this.#unreachable(`The TLS certificate of ${url} is for another host.`, {
        advice: 'Use a host that the certificate names, or create a certificate for this host.',
        cause,
      })
    if (/CERT|UNABLE_TO_VERIFY|TLS/.test(cause.code ?? ''))
      throw this.#unreachable(`The TLS certificate of ${url} is not trusted (${cause.code}).`, {
        advice: 'Set NODE_EXTRA_CA_CERTS to its file.',
        cause,
      })
    if (isNotTls(cause))
      throw this.#unreachable(`The server at ${url} does not use TLS.`, {
        advice: `Use ${url.replace('https', 'http')}.`,
        cause,
      })
    // A server with TLS closes the connection when it gets plain HTTP.
    const isClosed = url.startsWith('http:') && cause.code === 'ECONNRESET'
    throw this.#unreachable(`No simulator answers at ${url} (${cause.code ?? cause.message}).`, {
      advice: isClosed
        ? 'If it uses TLS, its URL begins with https://.'
        : process.env['PROXYSIM_URL']
          ? 'Start one with `proxysim`, or change or unset PROXYSIM_URL.'
          : 'Start one with `proxysim`, or use the URL of a running one.',
      cause,
    })
  }
}

/** Encodes a name as a path segment. @throws UserError if it is empty, because the path would lead to another operation */
export function encodeSegment(kind: string, name: string): string {
  if (name === '') throw new UserError(`The ${kind} must not be empty.`)
  return encodeURIComponent(name)
}

/**
 * Returns the login of the only account.
 * @param ignoresCreated whether accounts that were created at runtime don't count if there are others
 * @throws UserError if there are several accounts, or none
 */
export async function onlyLogin(plane: ControlPlane, ignoresCreated: boolean): Promise<string> {
  const all = await plane.json<AccountSummary[]>('GET', '/accounts')
  const initial = all.filter(({ created }) => !created)
  const accounts = ignoresCreated && initial.length > 0 ? initial : all
  const [only, ...others] = accounts.map(({ login }) => login)
  if (only !== undefined && others.length === 0) return only
  const code = 'ERR_PROXYSIM_ACCOUNT'
  if (only === undefined)
    throw new UserError('No accounts.', { advice: 'Load a scenario that has one.', code })
  throw new UserError(`Several accounts exist (${listNames(accounts.map(({ login }) => login))}).`, {
    advice: 'Choose one.',
    options: ['account'],
    code,
  })
}

/** Rejects NaN and Infinity, because JSON would turn them into null, which removes a field. @throws UserError */
function requireFinite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UserError(`${name} must be a finite number, not ${value}.`)
  return value
}
