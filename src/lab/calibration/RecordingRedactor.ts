import type { Header } from 'har-format'
import { asArray, asObject, type Schema } from '../../contract/Contract.ts'
import { fromBase64 } from '../../lib/base64.ts'
import { parseJson } from '../../lib/json.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'
import {
  addressPattern,
  isObject,
  isRealDate,
  isSecretName,
  parseIpLine,
  quoteField,
  redacted,
} from '../simulator.ts'
import type { RecordedExchange } from './RecordedExchange.ts'
import { placeholderKind, Placeholders } from './Placeholders.ts'
import { errorText, findCase, splitLines } from './schemas.ts'

/** Headers whose values are shown. Other headers are shown without their values, or omitted if they have secret names. */
const shownHeaders =
  /^(?:accept|allow|cache-control|connection|content-encoding|content-length|content-type|date|keep-alive|retry-after|transfer-encoding|vary)$/

/**
 * Redacts recordings by an allow-list of the contract's fields. Fields with personal data get placeholders, and everything that
 * isn't in the contract is hidden. Nothing is searched for by its value.
 */
export class RecordingRedactor {
  readonly #placeholders: Placeholders
  readonly #keep: ReadonlySet<string>

  /** @param keep fields that are shown unchanged */
  constructor(keep: readonly string[]) {
    this.#placeholders = new Placeholders(keep)
    this.#keep = new Set(keep)
  }

  redactHeaders(headers: readonly Header[]): Header[] {
    return headers
      .filter(({ name }) => !isSecretName(name))
      .map(({ name, value }) => {
        const isShown = shownHeaders.test(name.toLowerCase()) || this.#keep.has(name.toLowerCase())
        return { name, value: isShown ? value : redacted }
      })
  }

  /** Redacts the name of a field that isn't in the contract, unless it looks like an identifier. */
  redactName(text: string): string {
    const isIdentifier = text.length <= 40 && /^[A-Za-z_]+(?:-[A-Za-z_]+)*\d{0,3}$/.test(text)
    return isIdentifier ? text : this.#placeholders.replace('text', text)
  }

  /** Redacts a path segment that isn't in the contract. */
  redactSegment(text: string): string {
    return this.#placeholders.replace('text', text).replace(/\W+/g, '-').replace(/^-|-$/g, '')
  }

  /** Replaces personal values with placeholders, for all comparisons and messages. */
  redact<T extends RecordedExchange>(exchange: T): T {
    const { operation, request, response } = exchange
    const parameters = asArray(operation.schema['parameters']).map(asObject)
    const path = Object.fromEntries(
      Object.entries(exchange.path).map(([name, value]) => {
        const schema = asObject(parameters.find((one) => one['name'] === name)?.['schema'])
        // An invalid value stays invalid.
        return [name, allows([schema], value) ? value : this.redactSegment(value)]
      }),
    )
    const filled = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    )
    const requestBody = this.#redactRequestBody(exchange)
    const responseBody = this.#redactResponseBody(exchange)
    return {
      ...exchange,
      path,
      request: {
        ...request,
        url: filled + (request.url.includes('?') ? '?redacted' : ''),
        body: requestBody,
        value: parseJson(requestBody),
      },
      response: { ...response, body: responseBody, value: parseJson(responseBody) },
    }
  }

  #redactRequestBody({ operation, request: { body, value } }: RecordedExchange): string | undefined {
    if (body === undefined) return undefined
    if (!isObject(value)) return this.#placeholders.replace('text', body)
    const content = asObject(asObject(operation.schema['requestBody'])['content'])
    const schema = asObject(asObject(content['application/json'])['schema'])
    const safe = asObject(this.#redactValue(value, [schema]))
    const { password } = value
    const decoded = typeof password === 'string' ? fromBase64(password) : undefined
    // Base64 gets a placeholder in base64; other values stay invalid.
    if (decoded)
      safe['password'] = Buffer.from(this.#placeholders.replace('password', decoded)).toString('base64')
    return JSON.stringify(safe)
  }

  #redactResponseBody({ operation, response }: RecordedExchange): string {
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
    return splitLines(body)
      .map((line) => `${this.#redactLine(line)}\n`)
      .join('')
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
    if (typeof value === 'boolean') return schemas.length > 0 && value
    if (typeof value === 'number') return schemas.length > 0 && kind === undefined ? value : 0
    const text = String(value)
    if (schemas.length === 0) return redacted
    if (kind !== undefined) return this.#placeholders.replace(kind, text)
    if (parseIpLine(text)) return this.#redactLine(text)
    return allows(schemas, text) ? text : this.#placeholders.replace('text', text)
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

/** Whether the contract allows a text, or a number in quotes. A time may have another format. */
function allows(schemas: readonly Schema[], text: string): boolean {
  return flattenSchemas(schemas).some(({ type, enum: values, pattern, format, maxLength }) => {
    if (type === 'number' || type === 'integer') return /^-?[\d.]{1,15}$/.test(text)
    if (Array.isArray(values) && !values.includes(text)) return false
    if (type !== 'string') return Array.isArray(values)
    if (format === 'date') return isRealDate(text)
    return (
      (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)) &&
      text.length <= Number(maxLength ?? Infinity)
    )
  })
}
