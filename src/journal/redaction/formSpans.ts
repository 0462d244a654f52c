import { fromBase64Run } from './fromBase64Run.ts'
import { isSecretName } from './isSecretName.ts'

/** Position of a credential in a text. */
export type Span = readonly [start: number, end: number]

/**
 * Finds credentials in a text by their format. Each format takes one pass, so that hostile input can't cost more than
 * linear time.
 * @param isOurs whether we wrote the text: then a space ends a value, and a colon after a name is punctuation
 * @param depth how many levels of nested base64 to decode
 */
export function formSpans(text: string, isOurs: boolean, depth = 2): Span[] {
  if (text.length < shortestRun && !/[@=:]/.test(text)) return none // bodies are full of short texts
  return [
    ...(text.includes('@') ? userInfo(text) : []),
    ...(text.includes('=') ? named(text, '=', isOurs) : []),
    ...(!isOurs && text.includes(':') ? named(text, ':', isOurs) : []),
    ...matches(text, afterScheme, isOurs),
    ...matches(text, generatedToken, isOurs),
    ...(text.includes('.') ? matches(text, proxyLogin, isOurs) : []),
    ...encoded(text, depth),
  ]
}

const none: Span[] = []

/** `login:password@host`, and anything between `//` and `@`. */
function userInfo(text: string): Span[] {
  const spans: Span[] = []
  for (const [start, end] of pieces(text, isSpaceOrQuote)) {
    const last = text.slice(start, end).lastIndexOf('@')
    if (last < 0) continue
    let open = -1
    for (const [from, to] of pieces(text, isUrlMark, start, end)) {
      if (from > start + last) break
      const piece = text.slice(from, to)
      const mark = piece.lastIndexOf('@')
      const sign = piece.indexOf(':')
      const isAuthority = from >= 2 && text.startsWith('//', from - 2)
      if (mark > 0 && (isAuthority || (sign > 0 && sign < mark))) spans.push([from, from + mark])
      // A password may contain an unencoded slash: then what looks like a port isn't a number.
      else if (open < 0 && isAuthority && sign >= 0 && !/^\d*$/.test(piece.slice(sign + 1))) open = from
    }
    if (open >= 0) spans.push([open, start + last])
  }
  return spans
}

/** A credential's name, a separator, and the value. */
function named(text: string, mark: '=' | ':', isOurs: boolean): Span[] {
  const spans: Span[] = []
  let covered = 0
  for (let sign = text.indexOf(mark); sign >= 0; sign = text.indexOf(mark, sign + 1)) {
    if (sign < covered) continue
    let end = sign
    while (end > covered && isSpaceOrQuote(text.charCodeAt(end - 1))) end--
    let start = end
    while (start > covered && isNameCharacter(text.charCodeAt(start - 1))) start--
    covered = sign + 1
    if (start === end || !isSecretName(text.slice(start, end))) continue
    let from = sign + 1
    while (from < text.length && isSpaceOrQuote(text.charCodeAt(from))) from++
    let to = from
    while (to < text.length && !endsValue(text.charCodeAt(to), isOurs)) to++
    if (to > from) spans.push([from, to])
    covered = Math.max(covered, to)
  }
  return spans
}

const afterScheme = /\b(?:basic|bearer|digest|token|apikey|negotiate|ntlm)[ \t+]+(?=([\w+/.~-]{4,}={0,2}))/gi

/** Tokens made by `POST /__admin/accounts/{login}/tokens`. */
const generatedToken = /\b(?=(tok_[\w-]{4,}))/g

/** What follows address and port in a proxy list. */
const proxyLogin = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}:|,\d{1,5},)(?=([^\r\n]+))/g

/** Where the lookahead group of a pattern matches. */
function matches(text: string, pattern: RegExp, isOurs: boolean): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const found = match[1] as string
    const start = match.index + match[0].length
    pattern.lastIndex = start + found.length
    // "Basic authentication": part of a sentence
    if (pattern !== afterScheme || !isOurs || !/^[a-z.=]+$/.test(found))
      spans.push([start, start + found.length])
  }
  return spans
}

/** Base64 that contains a credential, usually `login:password`, either on its own or as part of a path or name. */
function encoded(text: string, depth: number): Span[] {
  const spans: Span[] = []
  let covered = 0
  for (const { index: start, 0: run } of text.matchAll(base64Run)) {
    const end = start + run.length
    for (const separates of separators) {
      const found = spans.length
      for (const [from, to] of pieces(text, separates, start, end))
        if (to - from >= shortestRun && to > covered && holdsCredential(text.slice(from, to), depth)) {
          covered = tokenEnd(text, to)
          spans.push([from, covered])
        }
      if (spans.length > found || !/[+/_-]/.test(run)) break
    }
  }
  return spans
}

/** The whole run, what is between slashes, and what is between signs. */
const separators = [() => false, (code: number) => code === slash, isNoLetter]

/** In either alphabet, without padding. */
const base64Run = /[\w+/-]{8,}/g

const shortestRun = 8

function holdsCredential(run: string, depth: number): boolean {
  const decoded = fromBase64Run(run)
  if (decoded === undefined) return false
  const sign = decoded.indexOf(':')
  return (
    (sign > 0 && sign < decoded.length - 1) || (depth > 0 && formSpans(decoded, false, depth - 1).length > 0)
  )
}

/** A JSON Web Token continues after its first part. */
function tokenEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && (!isNoLetter(text.charCodeAt(end)) || '=._-'.includes(text[end] as string)))
    end++
  return end
}

function* pieces(
  text: string,
  separates: (code: number) => boolean,
  from = 0,
  to = text.length,
): Generator<Span> {
  let start = from
  for (let at = from; at <= to; at++) {
    if (at < to && !separates(text.charCodeAt(at))) continue
    if (at > start) yield [start, at]
    start = at + 1
  }
}

const [ampersand, slash] = [38, 47]

function isSpaceOrQuote(code: number): boolean {
  return code <= 32 || code === 34 || code === 39 || code === 96
}

/** Ends the authority of a URL, or surrounds a URL. */
function isUrlMark(code: number): boolean {
  return '/?#<>()'.includes(String.fromCharCode(code))
}

/** Letters, digits, `_`, and what else occurs in names, including encoded ones */
function isNameCharacter(code: number): boolean {
  return !isNoLetter(code) || code > 127 || '_-.[]$%\\'.includes(String.fromCharCode(code))
}

function isNoLetter(code: number): boolean {
  return !((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57))
}

/** Ends a value: `&`, a line break or a quote; in our own texts a space too. */
function endsValue(code: number, isOurs: boolean): boolean {
  return code === ampersand || code === 10 || code === 13 || code === 34 || (isOurs && code <= 32)
}
