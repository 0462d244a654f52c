import { isObject } from '../../world/mergePatch.ts'
import { decodedViews, type View } from './decodedViews.ts'
import { formSpans, type Span } from './formSpans.ts'
import { fromBase64Run } from './fromBase64Run.ts'
import { isPlainName, isSecretName } from './isSecretName.ts'
import { redacted } from './redacted.ts'

/** Credentials, and lists of them. */
export type KnownSecrets = readonly (string | readonly string[])[]

/** A known credential, in the forms that decoding doesn't undo. */
interface Secret {
  length: number
  /** Only match it as a whole word: within other words it would be a coincidence */
  isWord: boolean
  plain: string[]
  /** The base64 characters that don't depend on what precedes or follows it */
  base64: string[]
}

/**
 * Characters that are enough to recognize a long credential. It is also redacted if cut off after them, and the search
 * time doesn't depend on its length.
 */
const prefixLength = 16

/** How many of an account's tokens to search for, newest first; older ones are redacted by their format. */
const mostTokens = 200

/** How many credentials to learn from one request; one that has more isn't sending credentials. */
const mostLearned = 8

/**
 * Redacts the credentials of one request wherever they appear: known ones, those that the request contains, and
 * anything that looks like one.
 */
export class Redactor {
  #secrets: Secret[] = []
  readonly #known = new Set<string>()
  /** A cache: texts are read to learn from them, then to redact them. Without it, redaction takes 1.5 times as long. */
  readonly #forms = new Map<string, Span[]>()
  #learned = 0

  constructor(known: KnownSecrets) {
    for (const secrets of known)
      for (const text of typeof secrets === 'string' ? [secrets] : secrets.slice(-mostTokens))
        this.#add(text, 4)
  }

  #add(text: string, shortestPart: number): void {
    if (text === '' || this.#known.has(text)) return
    this.#known.add(text)
    this.#secrets.push(remembered(text, shortestPart))
  }

  /** Learns a credential that the request sent, to redact it everywhere. */
  learn(credential: string): void {
    for (const { text } of decodedViews(credential.slice(0, 4096)).slice(0, 4))
      this.#learnFrom(text.trim(), 2)
  }

  #learnFrom(text: string, depth: number): void {
    const scheme = /^(?:basic|bearer|digest|token|apikey|negotiate|ntlm) +/i.exec(text)?.[0]
    if (scheme !== undefined) return this.#learnFrom(text.slice(scheme.length), depth)
    if (this.#learned >= mostLearned) return
    const colon = text.indexOf(':')
    if (colon >= 0 && depth > 0) this.#learnFrom(text.slice(colon + 1), 0)
    if (text.length >= 4 && !common.has(text.toLowerCase()) && !this.#known.has(text)) {
      this.#learned++
      this.#add(text, 8)
    }
    const decoded = depth > 0 ? fromBase64Run(text) : undefined
    if (decoded !== undefined) this.#learnFrom(decoded, depth - 1)
  }

  /** Learns everything in the request that has the format of a credential. */
  learnFromText(text: string): void {
    for (const { text: decoded } of decodedViews(text))
      for (const [start, end] of this.#formsOf(decoded, false)) this.learn(decoded.slice(start, end))
  }

  /** Forgets the credentials that none of these texts contain, so that fewer have to be searched for. */
  focus(texts: readonly string[]): void {
    const normalized = decodedViews(texts.join('\n')).map(normalize)
    this.#secrets = this.#secrets.filter((secret) =>
      normalized.some((one) => secretSpans(secret, one).length > 0),
    )
  }

  /** Frees memory that is needed only while reading a record. */
  forget(): void {
    this.#known.clear()
    this.#forms.clear()
  }

  /** The most characters that a known credential can take up in any encoding. */
  get longest(): number {
    return 16 * Math.min(4096, Math.max(64, ...this.#secrets.map(({ length }) => length)))
  }

  /**
   * Redacts a text.
   * @param isOurs whether we wrote the text, see `formSpans`
   * @param limit where the text is cut: what starts after it is left out
   */
  text(text: string, isOurs = false, limit = text.length): string {
    const spans: Span[] = []
    for (const view of decodedViews(text)) {
      for (const span of this.#formsOf(view.text, isOurs)) spans.push(original(view, span))
      if (this.#secrets.length === 0) continue
      const normalized = normalize(view)
      for (const secret of this.#secrets)
        for (const span of secretSpans(secret, normalized)) spans.push(original(view, span))
    }
    return cover(text, spans, limit)
  }

  /** Redacts any JSON value, including all values of fields with names like `password`. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) =>
        isSecretName(name)
          ? [isPlainName(name) ? name : this.text(name), isEmpty(item) ? item : redacted]
          : [this.text(name), this.value(item)],
      ),
    )
  }

  #formsOf(text: string, isOurs: boolean): Span[] {
    const key = `${isOurs ? 'o' : 't'}${text}`
    let spans = this.#forms.get(key)
    if (!spans) this.#forms.set(key, (spans = formSpans(text, isOurs)))
    return spans
  }
}

/** Values that aren't credentials, whatever the field's name. */
const common = new Set(['true', 'false', 'null', 'none', 'undefined', 'basic', 'bearer'])

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** A cache: the same few credentials come with every request. Without it, redaction takes 1.3 times as long. */
const made = new Map<string, Secret>()
const mostMade = 1000

function remembered(text: string, shortestPart: number): Secret {
  const key = `${shortestPart}${text}`
  let secret = made.get(key)
  if (!secret) {
    secret = secretOf(text, shortestPart)
    if (made.size >= mostMade) made.clear()
    if (text.length <= 200) made.set(key, secret)
  }
  return secret
}

function secretOf(text: string, shortestPart: number): Secret {
  const plain = [text, text.replaceAll('"', '""'), text.replaceAll(/[^\u0020-\u007e]/g, '?')]
  const base64 = ['utf8', 'latin1'].flatMap((encoding) =>
    base64Forms(Buffer.from(text, encoding as BufferEncoding)),
  )
  return {
    length: text.length,
    isWord: text.length < shortestPart,
    plain: [...new Set(plain.map(withSpaces))],
    base64: [...new Set(base64)],
  }
}

/** In a URL, `+` can be a space, so they are treated as equal. */
function withSpaces(text: string): string {
  return text.replaceAll('+', ' ')
}

/** At each alignment (0, 1 or 2 bytes before them): the characters that no other byte affects. */
function base64Forms(bytes: Buffer): string[] {
  if (bytes.length < 4) return []
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
}

interface NormalizedText {
  /** With `+` as a space */
  spaced: string
  /** In the standard alphabet (RFC 4648 §4) */
  standard: string
}

function normalize({ text }: View): NormalizedText {
  return { spaced: withSpaces(text), standard: text.replaceAll('-', '+').replaceAll('_', '/') }
}

/** Where a secret occurs in a view, as positions in the view. */
function secretSpans({ isWord, plain, base64 }: Secret, { spaced, standard }: NormalizedText): Span[] {
  return [
    ...plain.flatMap((form) => occurrences(spaced, form, isWord)),
    ...(isWord ? [] : base64.flatMap((form) => occurrences(standard, form, false))),
  ]
}

function occurrences(text: string, form: string, isWord: boolean): Span[] {
  const spans: Span[] = []
  const start = form.slice(0, prefixLength)
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at)) {
    let end = at + start.length
    while (end < text.length && end - at < form.length && text[end] === form[end - at]) end++
    if (!isWord || !(isWordCharacter(text[at - 1]) || isWordCharacter(text[end]))) spans.push([at, end])
    at = end
  }
  return spans
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character)
}

function original({ starts }: View, [start, end]: Span): Span {
  return starts ? [starts[start] as number, starts[end] as number] : [start, end]
}

function cover(text: string, spans: Span[], limit: number): string {
  if (spans.length === 0) return limit < text.length ? text.slice(0, limit) : text
  let safe = ''
  let done = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= limit) break
    if (start > done || (done === 0 && start === 0)) safe += `${text.slice(done, start)}${redacted}`
    done = Math.max(done, end)
  }
  return done < limit ? safe + text.slice(done, limit) : safe
}
