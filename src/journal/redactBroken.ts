import { isSecretName, redactDecoded, redacted, redactPlain } from './redact.ts'

/**
 * Redacts a body that doesn't parse: the values after names of secrets, in JSON, forms and what resembles them. A value whose end is
 * missing is hidden to the end of the body. Everything else stays as it was sent, because the mistake is somewhere in it.
 */
export function redactBroken(body: string, isBeginning = false): string {
  return redactDecoded(body, (text) => {
    // UTF-16 has a NUL beside each ASCII character.
    const plain = text.replaceAll('\0', '')
    const shown = isBeginning ? plain.replace(cutUserInfo, `$1${redacted}`) : plain
    const safe = redactPlain(redactFields(redactElements(shown)))
    return safe === plain ? text : safe
  })
}

/** Redacts the beginning of a body. */
export function redactBeginning(beginning: string, length: number): string {
  return `${redactBroken(beginning, true)}… [the beginning of ${length} characters]`
}

/** Matches the user and password of a URL whose end may be missing. In JSON, the slashes may be escaped. */
const cutUserInfo = /(\/\\?\/)[^\s/?#"'<>]*$/

/** Multipart forms (a line with `name="password"`, and the value after an empty line), and XML. */
function redactElements(text: string): string {
  return text
    .replaceAll(
      /(\bname="?([^"\r\n;=]+)(?:[";][^\r\n]*)?\r?\n(?:[^\r\n]+\r?\n){0,9}\r?\n)[^]*?(?=\r?\n--|$)/g,
      hideAfter,
    )
    .replaceAll(/(<([\w:.-]+)(?:\s[^<>]*)?>)[^<]+/g, hideAfter)
}

function hideAfter(whole: string, start: string, name: string): string {
  return isSecretName(name) ? start + redacted : whole
}

/** A name, in quotes or not */
const fieldName = /(?<![^\s"'`{}[\],;&=:()<>])([^\s"'`{},;&=:()<>]+)(["'`]?)/g

/** The text after a complete value: brackets that close, then a comma, another field, or the end of the line or text. */
const afterValue =
  /[)\]}\s]{0,100}(?:[,;&>]|$)|[^\S\n]*\r?\n|\s{0,100}["'`][\w.$-]+["'`]\s*[:=]|\s{1,100}[\w.$-]+\s{0,100}[:=]/y

/** The end of a value without quotes or brackets: the end of the line, or another field */
const valueEnd = /[\r\n&]|[,;]\s*(?:\\*["'`])?[^\s"'`{},;&=:()<>]+["'`]?\s*[:=]|(?<!\s)\s+[\w.$-]+[:=]/g

function redactFields(text: string): string {
  const skipSpace = createSkipper(text)
  let safe = ''
  let done = 0
  for (const { 0: whole, 1: name = '', 2: quote = '', index } of text.matchAll(fieldName)) {
    if (index < done || !isSecretName(decodeName(name))) continue
    const start = findStart(text, skipSpace(index + whole.length), quote !== '')
    if (start === undefined) continue
    const afterComments = skipSpace(start)
    // A form's value may begin like a comment.
    const isCommented =
      isComment(text, start) && (text[start - 1] !== '=' || /["'`]/.test(text[afterComments] ?? ''))
    const [from, to] = findValue(text, isCommented ? afterComments : start)
    if (/^(?:null)?$/.test(text.slice(from, to)) && !isCommented) continue
    // A comment may be the value itself, so both are hidden.
    safe += text.slice(done, isCommented ? start : from) + redacted
    done = to
  }
  return safe + text.slice(done)
}

/** The start of the value, or of a comment before it, if a separator follows the name: `:`, `=` or `=>`. */
function findStart(text: string, at: number, isQuoted: boolean): number | undefined {
  separator.lastIndex = at
  const [found] = separator.exec(text) ?? []
  if (found !== undefined) return at + found.length
  // The separator may be the mistake. If another one follows the next text, that text is a name.
  missing.lastIndex = at
  return isQuoted && missing.test(text) ? at : undefined
}

/** After `=`, the value may be missing, so only a value in quotes may be on another line. */
const separator = /(?:=>|:)\s*|=(?:\s*(?=\\*["'`])|[^\S\n]*)/y

const missing = /[\d{[]|\\*(["'`])(?!(?:[^"'`\\\n]|\\.)*["'`]\s*[:=])/y

function isComment(text: string, at: number): boolean {
  return text[at] === '#' || (text[at] === '/' && /[*/]/.test(text[at + 1] ?? ''))
}

const space = /\s+/y

/** Returns a function that skips white space and comments. All its calls together take linear time, because it remembers their ends. */
function createSkipper(text: string): (start: number) => number {
  const ends = new Map<number, number>()
  const findLineEnd = createFinder(text, '\n')
  const findBlockEnd = createFinder(text, '*/')
  const skipOne = (at: number): number => {
    space.lastIndex = at
    if (space.test(text)) return space.lastIndex
    if (!isComment(text, at)) return at
    return text.startsWith('/*', at) ? findBlockEnd(at + 2) : findLineEnd(at)
  }
  return (start) => {
    const passed: number[] = []
    let at = start
    for (let next = skipOne(at); next > at && !ends.has(at); next = skipOne(at)) {
      passed.push(at)
      at = next
    }
    const end = ends.get(at) ?? at
    for (const position of passed) ends.set(position, end)
    return end
  }
}

/** Returns a function that finds the end of the next occurrence, or of the text. */
function createFinder(text: string, part: string): (start: number) => number {
  let [from, found] = [0, -1]
  return (start) => {
    if (start < from || start > found) [from, found] = [start, text.indexOf(part, start)]
    if (found < 0) found = text.length
    return Math.min(found + part.length, text.length)
  }
}

/** Decodes the escapes of JSON, JavaScript and URLs. */
function decodeName(name: string): string {
  return name
    .replaceAll(/(?:\\u|\\x|%)([\da-f]{4}|[\da-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    )
    .replaceAll('\\', '')
}

/** The range of the value that starts here, without its quotes. */
function findValue(text: string, start: number): [from: number, to: number] {
  const isEnd = (index: number): boolean => {
    afterValue.lastIndex = index
    return afterValue.test(text)
  }
  const [quote] = /^\\*["'`]/.exec(text.slice(start, start + 10)) ?? []
  if (quote !== undefined) {
    const from = start + quote.length
    // A quote that isn't escaped may be the mistake.
    for (let to = text.indexOf(quote, from); to >= 0; to = text.indexOf(quote, to + 1))
      if (text[to - 1] !== '\\' && isEnd(to + quote.length)) return [from, to]
    return [from, text.length]
  }
  if (text[start] === '{' || text[start] === '[') {
    let depth = 0
    const token = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|([{[])|([\]}])/gs
    token.lastIndex = start
    for (let found = token.exec(text); found; found = token.exec(text)) {
      if (found[1]) depth++
      if (found[2] && --depth <= 0 && isEnd(token.lastIndex)) return [start, token.lastIndex]
    }
    return [start, text.length]
  }
  valueEnd.lastIndex = start
  const end = valueEnd.exec(text)?.index
  const trimmed = text.slice(start, end)
  const value = end === undefined ? trimClosing(trimmed).replace(/[,;]$/, '') : trimmed
  return [start, start + trimClosing(value).length]
}

/** Removes the brackets and white space at the end, without a pattern, as its time would be quadratic. */
function trimClosing(text: string): string {
  let end = text.length
  while (end > 0 && /[)\]}\s]/.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}
