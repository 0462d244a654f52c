import { fromBase64Run } from './fromBase64Run.ts'
import { isSecretName } from './isSecretName.ts'

/** Where a credential stands in a text: from, to. */
export type Span = readonly [start: number, end: number]

/**
 * Where credentials stand in a text by their form, whoever they belong to. Each form is found in one pass over the
 * text: what is sent to us must not cost more than its length.
 * @param isOurs our own text: a value in it ends at a space, and a colon behind a name is punctuation
 * @param depth how often base64 in base64 is looked into
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

/** `login:password@host`, and whatever stands between `//` and `@`. */
function userInfo(text: string): Span[] {
  const spans: Span[] = []
  for (const [start, end] of pieces(text, isSpaceOrQuote)) {
    const last = lastOf(at, text, start, end)
    if (last < 0) continue
    let open = -1
    for (const [from, to] of pieces(text, isUrlMark, start, end)) {
      if (from > last) break
      const mark = lastOf(at, text, from, to)
      const sign = firstOf(colon, text, from, to)
      const isAuthority = from >= 2 && text.startsWith('//', from - 2)
      if (mark > from && (isAuthority || (sign > from && sign < mark))) spans.push([from, mark])
      // A password may hold a slash that nobody encoded: then what looks like a port is not a number.
      else if (open < 0 && isAuthority && sign >= 0 && !isNumber(text, sign + 1, to)) open = from
    }
    if (open >= 0) spans.push([open, last])
  }
  return spans
}

/** A name of a credential, a mark, and the value. */
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

/** As `POST /__admin/accounts/{login}/tokens` makes them. */
const generatedToken = /\b(?=(tok_[\w-]{4,}))/g

/** What stands behind address and port in a list of proxies. */
const proxyLogin = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}:|,\d{1,5},)(?=([^\r\n]+))/g

/** Where the group that looks ahead of a pattern stands. */
function matches(text: string, pattern: RegExp, isOurs: boolean): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const found = match[1] as string
    const start = match.index + match[0].length
    pattern.lastIndex = start + found.length
    // "Basic authentication": a word of a sentence
    if (pattern !== afterScheme || !isOurs || !/^[a-z.=]+$/.test(found))
      spans.push([start, start + found.length])
  }
  return spans
}

/** Base64 of what holds a credential, `login:password` above all; alone, or as a part of a path or a name. */
function encoded(text: string, depth: number): Span[] {
  const spans: Span[] = []
  let covered = 0
  for (const { index: start, 0: run } of text.matchAll(base64Run)) {
    const end = start + run.length
    for (const separates of [never, isSlash, isNoLetter]) {
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

/** In either alphabet; what pads it is not a part of it. */
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

/** A JSON Web Token goes on behind its first part. */
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

function isNumber(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return false
  return true
}

function firstOf(code: number, text: string, from: number, to: number): number {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) === code) return i
  return -1
}

function lastOf(code: number, text: string, from: number, to: number): number {
  for (let i = to - 1; i >= from; i--) if (text.charCodeAt(i) === code) return i
  return -1
}

const [ampersand, slash, colon, at] = [38, 47, 58, 64]

function isSpaceOrQuote(code: number): boolean {
  return code <= 32 || code === 34 || code === 39 || code === 96
}

/** What ends the authority of a URL, or stands around one. */
function isUrlMark(code: number): boolean {
  return '/?#<>()'.includes(String.fromCharCode(code))
}

/** Letters, digits, `_`, and what else stands in names, encoded ones too */
function isNameCharacter(code: number): boolean {
  return !isNoLetter(code) || code > 127 || '_-.[]$%\\'.includes(String.fromCharCode(code))
}

function isNoLetter(code: number): boolean {
  return !((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57))
}

function never(): boolean {
  return false
}

function isSlash(code: number): boolean {
  return code === slash
}

/** What ends a value: `&`, the end of a line or of a quotation; in our own texts a space too. */
function endsValue(code: number, isOurs: boolean): boolean {
  return code === ampersand || code === 10 || code === 13 || code === 34 || (isOurs && code <= 32)
}
