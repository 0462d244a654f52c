import type { Header } from 'har-format'
import { asArray, asObject, type Schema } from '../../contract/Contract.ts'
import { addressPattern, isSecretName, parseIpLine, quoteField, redacted, isObject } from '../simulator.ts'
import { parseJson } from '../../lib/json.ts'
import { isIPv4 } from 'node:net'
import { fromBase64 } from '../../lib/base64.ts'
import type { Exchange } from './Exchange.ts'
import { placeholderKind, Placeholders } from './Placeholders.ts'
import { findCase, errorText, allows, readScalar, splitLines } from './schemas.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'

/** Headers whose values are shown. Other headers are shown without their values, or omitted if they have secret names. */
const shownHeaders =
  /^(?:accept|allow|cache-control|connection|content-encoding|content-length|content-type|date|keep-alive|retry-after|transfer-encoding|vary)$/

/**
 * Redacts recordings by an allow-list of the contract's fields. Personal values get placeholders, and everything that isn't
 * in the contract is hidden.
 */
export class RecordingRedactor {
  readonly #placeholders: Placeholders
  readonly #keep: ReadonlySet<string>

  /** @param keep fields that are shown unchanged */
  constructor(keep: readonly string[]) {
    this.#placeholders = new Placeholders(keep)
    this.#keep = new Set(keep)
  }

  /** Registers credentials, which are replaced wherever they occur. */
  registerSecrets(secrets: readonly string[]): void {
    for (const secret of secrets) this.#placeholders.replace('password', secret)
  }

  /**
   * Replaces personal values with placeholders, for all comparisons and messages. Each exchange is processed twice, because
   * a text such as a product's name may contain a password that occurs only in a later exchange.
   */
  redactExchanges(exchanges: readonly Exchange[]): Exchange[] {
    for (const exchange of exchanges) this.#redactExchange(exchange)
    return exchanges.map((exchange) => this.#redactExchange(exchange))
  }

  redactHeaders(headers: readonly Header[]): Header[] {
    return headers
      .filter(({ name }) => !isSecretName(name))
      .map(({ name, value }) => {
        const isShown = shownHeaders.test(name.toLowerCase()) || this.#keep.has(name.toLowerCase())
        return { name, value: isShown ? this.#placeholders.redact(value) : redacted }
      })
  }

  /** Redacts a name that isn't in the contract, of a field or in a path. */
  redactName(text: string): string {
    return this.#placeholders.replaceName(text)
  }

  /** Redacts a path segment that isn't in the contract. */
  redactSegment(text: string): string {
    return this.#placeholders.replace('text', text).replace(/\W+/g, '-').replace(/^-|-$/g, '')
  }

  #redactExchange(exchange: Exchange): Exchange {
    const { operation, request, response } = exchange
    const parameters = asArray(operation.schema['parameters']).map(asObject)
    const path = Object.fromEntries(
      Object.entries(exchange.path).map(([name, value]) => {
        const schema = asObject(parameters.find((one) => one['name'] === name)?.['schema'])
        // An invalid value stays invalid.
        return [name, isValid([schema], value) ? this.#placeholders.redact(value) : this.redactSegment(value)]
      }),
    )
    const filled = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    )
    const [requestBody, responseBody] = [
      this.#redactRequestBody(exchange),
      this.#redactResponseBody(exchange),
    ]
    return {
      ...exchange,
      path,
      request: {
        ...request,
        url: filled + (request.url.includes('?') ? '?redacted' : ''),
        contentType: request.contentType && this.#placeholders.redact(request.contentType),
        body: requestBody,
        value: parseJson(requestBody),
      },
      response: {
        ...response,
        contentType: response.contentType && this.#placeholders.redact(response.contentType),
        body: responseBody,
        value: parseJson(responseBody),
      },
    }
  }

  #redactRequestBody({ operation, request: { body, value } }: Exchange): string | undefined {
    if (body === undefined) return undefined
    if (!isObject(value)) return this.#placeholders.replace('text', body)
    const content = asObject(asObject(operation.schema['requestBody'])['content'])
    const safe = asObject(
      this.#redactValue(value, [asObject(asObject(content['application/json'])['schema'])]),
    )
    const { password } = value
    const decoded = typeof password === 'string' ? fromBase64(password) : undefined
    // Base64 gets a placeholder in base64; other values stay invalid.
    if (decoded)
      safe['password'] = Buffer.from(this.#placeholders.replace('password', decoded)).toString('base64')
    return JSON.stringify(safe)
  }

  #redactResponseBody({ operation, response }: Exchange): string {
    const { status, body, value } = response
    if (body === '') return ''
    const { content = {} } = operation.responses[status] ?? operation.responses[200] ?? {}
    const schemas = [content['application/json'] ?? []].flat()
    const safe = value === undefined ? undefined : this.#redactValue(value, schemas)
    if (status >= 400) {
      // Only error texts of the contract are shown, because any other text may contain secrets.
      const text = errorText(response)
      const isShown = findCase(operation, response)?.isVariable === false
      const error = isShown ? text : this.#placeholders.replace('text', text)
      return value === undefined ? error : JSON.stringify(isObject(safe) ? { ...safe, error } : error)
    }
    if (value !== undefined) return JSON.stringify(safe)
    if (!Object.keys(content).some((type) => type.startsWith('text/')))
      return this.#placeholders.replace('text', body)
    const lines = splitLines(body).map((line) => `${this.#redactLine(line)}\n`)
    return lines.join('')
  }

  /** @param schemas empty if the contract doesn't have the value */
  #redactValue(value: unknown, schemas: readonly Schema[], field = ''): unknown {
    if (value === null || this.#keep.has(field)) return value
    if (typeof value !== 'object') return this.#redactScalar(value, schemas, field)
    if (schemas.length === 0) return Array.isArray(value) ? [] : {}
    const items = schemasAt(schemas, 0)
    if (Array.isArray(value))
      return value.map((item) => this.#redactValue(item, items.length > 0 ? items : schemas, field))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const found = schemasAt([...schemas, ...items], name)
        return [found.length > 0 ? name : this.redactName(name), this.#redactValue(item, found, name)]
      }),
    )
  }

  #redactScalar(value: unknown, schemas: readonly Schema[], field: string): unknown {
    const kind = placeholderKind(field)
    const isKnown = schemas.length > 0
    if (isKnown && kind === undefined && readScalar(value, schemas) !== undefined) return value
    if (typeof value !== 'string') {
      const isNumber = typeof value === 'number'
      const isShown = isNumber ? isNumeric(schemas) : allows(schemas, value)
      return isKnown && kind === undefined && isShown ? value : isNumber ? 0 : false
    }
    if (isIPv4(value)) return this.#placeholders.replace('ip', value)
    if (!isKnown) return redacted
    if (kind !== undefined) return this.#placeholders.replace(kind, value)
    if (parseIpLine(value)) return this.#redactLine(value)
    return isValid(schemas, value)
      ? this.#placeholders.redact(value)
      : this.#placeholders.replace('text', value)
  }

  /** Redacts a line of an IP list. If its layout is unknown, only the address is shown. */
  #redactLine(line: string): string {
    if (line === '' || /^[a-z_]+(?:[,;][a-z_]+)+$/.test(line)) return line // a header row
    const parts = parseIpLine(line)
    if (!parts) {
      const [ip = ''] = line.match(addressPattern) ?? []
      const rest = ip === line ? '' : this.#placeholders.replace('text', line)
      return `${this.#placeholders.replace('ip', ip)} ${rest}`.trim()
    }
    const { ip, separator, port, suffix, login } = parts
    const credentials = login
      ? [
          this.#placeholders.replace('username', login.username),
          this.#placeholders.replace('password', login.password),
        ]
      : [suffix ?? []].flat().map((text) => this.#placeholders.replace('text', text))
    return [
      this.#placeholders.replace('ip', ip),
      port,
      ...credentials.map((one) => quoteField(one, separator)),
    ].join(separator)
  }
}

/** Whether the contract has numbers in a place. A number that it forbids must stay so: 4.5 for a count. */
function isNumeric(schemas: readonly Schema[]): boolean {
  return flattenSchemas(schemas).some(({ type }) => type === 'number' || type === 'integer')
}

/** Whether the contract allows a value. A number in quotes counts as a number. */
function isValid(schemas: readonly Schema[], value: string): boolean {
  const isDate = flattenSchemas(schemas).some(({ format }) => format === 'date')
  if (isDate && /^[\d :T-]{10,19}Z?$/.test(value)) return true
  return allows(schemas, value) || typeof readScalar(value, schemas) === 'number'
}
