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
      for (const decoder of decoders) {
        const decoded = decoder(view.text)
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

/** A character in place of an encoded one, which ends at `end` */
interface Character {
  character: string
  end: number
}

/** Decodes a text wherever it has a mark and `read` finds an encoded character there. */
function decode(
  text: string,
  mark: RegExp,
  read: (text: string, at: number) => Character | undefined,
): Decoded | undefined {
  if (text.search(mark) < 0) return undefined
  const starts = new Uint32Array(text.length + 1)
  let decoded = ''
  let length = 0
  let copied = 0
  const copyUntil = (end: number): void => {
    decoded += text.slice(copied, end)
    for (let at = copied; at < end; at++) starts[length++] = at
  }
  for (const { index: at } of text.matchAll(mark)) {
    const found = at < copied ? undefined : read(text, at)
    if (!found) continue
    copyUntil(at)
    decoded += found.character
    for (let i = 0; i < found.character.length; i++) starts[length++] = at
    copied = found.end
  }
  copyUntil(text.length)
  starts[length++] = text.length
  return { text: decoded, starts: starts.subarray(0, length) }
}

/**
 * Percent-encoded UTF-8, in either case; bytes that aren't UTF-8 are read as Latin-1. Node decodes headers as Latin-1,
 * so raw UTF-8 in them is decoded too.
 */
function fromUrl(text: string): Decoded | undefined {
  return decode(text, /%[0-9a-fA-F]{2}|[\u00c2-\u00f4](?=[\u0080-\u00bf%])/g, readCharacter)
}

function readCharacter(text: string, from: number): Character | undefined {
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
  return decode(text, /\\(?!$)/g, (_, at) => {
    const letter = text[at + 1] as string
    if (letter !== 'u') return { character: escapes[letter] ?? letter, end: at + 2 }
    const hex = text.slice(at + 2, at + 6)
    if (!/^[0-9a-f]{4}$/i.test(hex)) return undefined
    return { character: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 6 }
  })
}

/** UTF-16 that was decoded as UTF-8. */
function fromUtf16(text: string): Decoded | undefined {
  return decode(text, /\0/g, (_, at) => ({ character: '', end: at + 1 }))
}
