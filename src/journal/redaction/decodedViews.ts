/** A text as one of its readers would decode it, with the original position of each character. */
export interface View {
  text: string
  /** Original position of each character and of the end; undefined: unchanged */
  starts: Uint32Array | undefined
}

interface Decoded {
  text: string
  starts: Uint32Array
}

/** Only an attacker encodes more often than this, and each decoding costs the text's length. */
const mostViews = 12
const deepest = 3

/** The text itself and all its decodings: from URL encoding, JSON, UTF-16, and combinations of them. */
export function decodedViews(text: string): View[] {
  const views: View[] = [{ text, starts: undefined }]
  if (!encoded.test(text)) return views
  let latest = views
  for (let depth = 0; depth < deepest && latest.length > 0 && views.length < mostViews; depth++) {
    const next: View[] = []
    for (const view of latest)
      for (const decode of decoders) {
        const decoded = decode(view.text)
        if (decoded && views.length < mostViews && views.every((one) => one.text !== decoded.text)) {
          const made = { text: decoded.text, starts: through(view.starts, decoded.starts) }
          views.push(made)
          next.push(made)
        }
      }
    latest = next
  }
  return views
}

/** Without one of these, no decoder changes anything. */
// UTF-16 that was read as UTF-8 has NULs
const encoded = /[%\\\0\u00c2-\u00f4]/

function through(before: Uint32Array | undefined, after: Uint32Array): Uint32Array {
  return before ? after.map((at) => before[at] as number) : after
}

const decoders: ((text: string) => Decoded | undefined)[] = [fromUrl, fromJson, fromUtf16]

/** Builds a decoded text with its positions. */
class Writer {
  readonly #starts: Uint32Array
  readonly #source: string
  #text = ''
  #length = 0

  constructor(source: string) {
    this.#source = source
    this.#starts = new Uint32Array(source.length + 1)
  }

  add(character: string, from: number): void {
    for (let i = 0; i < character.length; i++) this.#starts[this.#length++] = from
    this.#text += character
  }

  /** Copies a part that isn't encoded. */
  copy(from: number, to: number): void {
    for (let at = from; at < to; at++) this.#starts[this.#length++] = at
    this.#text += this.#source.slice(from, to)
  }

  end(): Decoded {
    this.#starts[this.#length++] = this.#source.length
    return { text: this.#text, starts: this.#starts.subarray(0, this.#length) }
  }
}

const utf8AsLatin1 = /[\u00c2-\u00f4][\u0080-\u00bf]/

/**
 * Percent-encoded UTF-8, in either case; bytes that aren't UTF-8 are read as Latin-1. Node decodes headers as Latin-1,
 * so raw UTF-8 in them is decoded too.
 */
function fromUrl(text: string): Decoded | undefined {
  if (!/%[0-9a-f]{2}/i.test(text) && !utf8AsLatin1.test(text)) return undefined
  const writer = new Writer(text)
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code !== percent && (code < 0xc2 || code > 0xf4)) {
      at++
      continue
    }
    const read = readCharacter(text, at)
    if (read) {
      writer.copy(copied, at)
      writer.add(read.character, at)
      copied = read.end
    }
    at = read?.end ?? at + 1
  }
  writer.copy(copied, text.length)
  return writer.end()
}

function readCharacter(text: string, from: number): { character: string; end: number } | undefined {
  const first = readByte(text, from)
  if (!first) return undefined
  const length = first.byte < 0xc2 ? 1 : first.byte < 0xe0 ? 2 : first.byte < 0xf0 ? 3 : 4
  let point = length === 1 ? first.byte : first.byte & (0x7f >> length)
  let { end } = first
  for (let i = 1; i < length; i++) {
    const next = readByte(text, end)
    if (!next || next.byte >> 6 !== 2) return { character: String.fromCharCode(first.byte), end: first.end }
    point = (point << 6) | (next.byte & 63)
    end = next.end
  }
  return { character: point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point), end }
}

function readByte(text: string, at: number): { byte: number; end: number } | undefined {
  const code = text.charCodeAt(at)
  if (code === percent) {
    const high = hexDigit(text.charCodeAt(at + 1))
    const low = hexDigit(text.charCodeAt(at + 2))
    return high < 0 || low < 0 ? undefined : { byte: high * 16 + low, end: at + 3 }
  }
  return code >= 0x80 && code <= 0xff ? { byte: code, end: at + 1 } : undefined
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

const percent = 37

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** JSON string escapes, wherever they occur. */
function fromJson(text: string): Decoded | undefined {
  let at = text.indexOf('\\')
  if (at < 0 || at === text.length - 1) return undefined
  const writer = new Writer(text)
  let copied = 0
  while (at >= 0 && at < text.length - 1) {
    const letter = text[at + 1] as string
    const hex = letter === 'u' ? text.slice(at + 2, at + 6) : ''
    const isHex = /^[0-9a-f]{4}$/i.test(hex)
    if (letter !== 'u' || isHex) {
      writer.copy(copied, at)
      writer.add(isHex ? String.fromCharCode(Number.parseInt(hex, 16)) : (escapes[letter] ?? letter), at)
      copied = at + (isHex ? 6 : 2)
    }
    at = text.indexOf('\\', Math.max(copied, at + 1))
  }
  writer.copy(copied, text.length)
  return writer.end()
}

/** UTF-16 that was decoded as UTF-8. */
function fromUtf16(text: string): Decoded | undefined {
  if (!text.includes('\0')) return undefined
  const writer = new Writer(text)
  let copied = 0
  for (let at = text.indexOf('\0'); at >= 0; at = text.indexOf('\0', copied)) {
    writer.copy(copied, at)
    copied = at + 1
  }
  writer.copy(copied, text.length)
  return writer.end()
}
