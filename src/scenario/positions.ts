/** Where a value is in a text, by offsets. */
export interface Position {
  /** Where its key begins; for an item of a list, the item */
  key: number
  /** Where an issue with the value is shown: at a scalar itself, but at the key of a list or map */
  value: number
  /** By key or index */
  members?: ReadonlyMap<string, Position | undefined>
}

/** The offset of a path; if it doesn't exist, that of its closest ancestor. */
export function offsetOf(
  root: Position | undefined,
  path: readonly (string | number)[],
  isKey = false,
): number {
  let here = root
  for (const part of path) {
    const next = here?.members?.get(String(part))
    if (!next) return here?.key ?? 0
    here = next
  }
  return (isKey ? here?.key : here?.value) ?? 0
}

/** Line and column of an offset, both from 1. */
interface Place {
  line: number
  column: number
}

export function placesIn(text: string): (offset: number) => Place {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)]
    const line = starts.findLastIndex((start) => start <= offset)
    return { line: line + 1, column: offset - (starts[line] as number) + 1 }
  }
}

/** Something wrong with a text, at an offset. */
export interface TextIssue {
  message: string
  offset: number
}

/** A text that can't be parsed. */
export class TextError extends Error {
  readonly issues: readonly TextIssue[]

  constructor(...issues: TextIssue[]) {
    super(issues[0]?.message)
    this.issues = issues
  }
}
