import type { ComponentChildren } from 'preact'
import { useNarrow } from './useNarrow.ts'
import { useWindow } from './useWindow.ts'

export interface Column<Row> {
  name: string
  /** Of amounts and counts */
  isNumber?: boolean
  cell: (row: Row) => ComponentChildren
}

interface Props<Row> {
  label: string
  /** Names the widths of the columns in the stylesheet */
  kind: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
  /** Lines that a row has on a narrow page */
  narrowLines: number
  /** Up to what width a page is narrow, in pixels */
  narrowUpTo?: number
  empty: string
}

const lineHeight = 34
const narrowLine = 32

/** A table of which only the rows that are seen are drawn, however many there are. */
export function Table<Row>({
  label,
  kind,
  rows,
  keyOf,
  columns,
  narrowLines,
  narrowUpTo = 1099,
  empty,
}: Props<Row>) {
  const isNarrow = useNarrow(narrowUpTo)
  const height = isNarrow ? narrowLine * narrowLines + 14 : lineHeight
  const { box, first, end } = useWindow(rows.length, height)
  if (rows.length === 0) return <p class="empty">{empty}</p>
  return (
    <div
      class={`table table-${kind} ${isNarrow ? 'is-narrow' : ''}`}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabindex={0}
      ref={box}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        {columns.map(({ name, isNumber }) => (
          <span role="columnheader" class={isNumber ? 'number' : ''} key={name}>
            {name}
          </span>
        ))}
      </div>
      <div class="table-body" role="rowgroup" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, end).map((row, i) => (
          <div
            class="table-row"
            role="row"
            aria-rowindex={first + i + 2}
            key={keyOf(row)}
            style={{ top: `${(first + i) * height}px`, height: `${height}px` }}
          >
            {columns.map(({ name, isNumber, cell }) => (
              <span role="cell" class={isNumber ? 'number' : ''} data-name={name} key={name}>
                {cell(row)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
