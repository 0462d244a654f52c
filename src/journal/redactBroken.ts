import { isSecretName, redactDecoded, redacted, redactPlain } from './redact.ts'

/**
 * Redacts a body that doesn't parse: the values after names of secrets, in JSON, forms and what resembles them. A value whose end is
 * missing is hidden to the end of the body. Everything else stays as it was sent, because the mistake is somewhere in it.
 */
export function redactBroken(body: string): string {
  return redactDecoded(body, (text) => {
    // UTF-16 has a NUL beside each ASCII character.
    const plain = text.replaceAll('\0', '')
    const safe = redactPlain(redactFields(redactElements(plain)))
    return safe === plain ? text : safe
  })
}

/** Redacts the beginning of a body. Its last word is dropped, because it may be a URL with a password whose end is missing. */
export function redactBeginning(beginning: string, length: number): string {
  const words = beginning.replace(/(?<![^\s"'<>,;&=])[^\s"'<>,;&=]+$/, '')
  return `${redactBroken(words)}… [the beginning of ${length} characters]`
}

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

/** A name, in quotes or not, a separator and the white space before the value: `"name": `, `name=`, `'name' => ` */
const field =
  /(?<![^\s"'`{}[\],;&=:()<>])([^\s"'`{}[\],;&=:()<>]+|[^\s"'`{},;&=:()<>]{1,100})["'`]?[^\S\n]*(?:=>?[^\S\n]*|:\s*)/g

/** The text after a complete value: brackets that close, then a comma, another field, or the end of the line or text. */
const afterValue =
  /[)\]}\s]{0,100}(?:[,;&>]|$)|[^\S\n]*\r?\n|\s{0,100}["'`][\w.$-]+["'`]\s*[:=]|\s{1,100}[\w.$-]+\s{0,100}[:=]/y

/** The end of a value without quotes or brackets: the end of the line, or another field */
const separator = /[\r\n&]|[,;]\s*(?:\\*["'`])?[^\s"'`{},;&=:()<>]+["'`]?\s*[:=]|(?<!\s)\s+[\w.$-]+[:=]/g

function redactFields(text: string): string {
  let safe = ''
  let done = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(field)) {
    if (index < done || !isSecretName(decodeName(name))) continue
    const start = index + whole.length
    const [from, to] = findValue(text, start)
    if (/^(?:null)?$/.test(text.slice(from, to))) continue
    safe += text.slice(done, from) + redacted
    done = to
  }
  return safe + text.slice(done)
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
  separator.lastIndex = start
  const end = separator.exec(text)?.index
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
