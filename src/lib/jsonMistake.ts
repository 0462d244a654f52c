/**
 * Describes the first mistake of a text that isn't JSON, without its content, which may be secret:
 * `unexpected "}" at position 15 (line 1, column 16)`. `JSON.parse` omits the position in some of its messages, and quotes the text in others.
 */
export function describeMistake(text: string): string {
  const { index, problem } = findJsonMistake(text)
  return `${problem} at ${describePosition(text, index)}`
}

/** The position of the first mistake of a text that isn't JSON, and the mistake: `unexpected "}"`. */
export function findJsonMistake(text: string): { index: number; problem: string } {
  const index = findMistake(text)
  const found =
    index < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(index) as number)) : 'end'
  return { index, problem: `unexpected ${found}` }
}

/** `position 15 (line 1, column 16)` */
export function describePosition(text: string, index: number): string {
  const { line, column } = lineAndColumn(text, index)
  return `position ${index} (line ${line}, column ${column})`
}

/** Converts an index to a line and a column, both starting at 1. */
export function lineAndColumn(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, index).split('\n')
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 }
}

/** White space, then a bracket, comma or colon, a string, or another literal */
const token =
  /[ \t\n\r]*([{}[\],:]|("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y
/** White space, then as much of a string as is valid */
const beginning = /[ \t\n\r]*(?:"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*)?/y

/** The index of the first character that can't continue a JSON text; the text's length if its end is missing. */
function findMistake(text: string): number {
  const value = '{["0' // `"` is any string, `0` any other literal
  const open: string[] = []
  let allowed = value
  let index = 0
  for (;;) {
    token.lastIndex = beginning.lastIndex = index
    const [whole = '', found = '', string] = token.exec(text) ?? []
    const kind = string !== undefined ? '"' : /\w/.test(found) ? '0' : found
    if (found === '') {
      const valid = beginning.exec(text)?.[0] ?? ''
      return index + (allowed.includes('"') ? valid.length : valid.search(/"|$/))
    }
    if (!allowed.includes(kind)) return index + whole.length - found.length
    index = token.lastIndex
    if (kind === '{' || kind === '[') open.push(kind)
    if (kind === '}' || kind === ']') open.pop()
    const isInObject = open.at(-1) === '{'
    if (kind === '{') allowed = '"}'
    else if (kind === '[') allowed = `${value}]`
    else if (kind === ':') allowed = value
    else if (kind === ',') allowed = isInObject ? '"' : value
    else if (kind === '"' && !allowed.includes('0')) allowed = ':'
    else allowed = open.length === 0 ? '' : isInObject ? ',}' : ',]'
  }
}
