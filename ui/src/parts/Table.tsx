import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { moved, reveal, useNarrow, useWindow } from './useWindow.ts'

export interface Column<Row> {
  name: string
  isNumber?: boolean
  cell: (row: Row) => ComponentChildren
}

interface Props<Row> {
  label: string
  /** Of the columns, as a CSS grid has them */
  widths: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
  /** Key of the row that is open */
  open?: string
  onOpen: (row: Row) => void
  empty: ComponentChildren
}

/** A table of which only the rows that are seen are drawn. Arrow keys move through it, Enter or a click opens a row. */
export function Table<Row>({ label, widths, rows, keyOf, columns, open, onOpen, empty }: Props<Row>) {
  const rowHeight = useNarrow() ? 64 : 32
  const { box, first, end } = useWindow(rows.length, rowHeight)
  const [cursor, setCursor] = useState<string>()
  if (rows.length === 0) return <p class="empty">{empty}</p>
  const at = rows.findIndex((row) => keyOf(row) === (cursor ?? open))
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current) return
    if (event.key === 'Enter' && rows[at]) onOpen(rows[at])
    const to = moved(event.key, at, rows.length)
    if (to === undefined) return
    event.preventDefault()
    setCursor(keyOf(rows[to] as Row))
    reveal(box.current, to, rowHeight, rowHeight)
  }
  return (
    <div
      class="table"
      style={{ '--columns': widths }}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabindex={0}
      aria-activedescendant={at >= first && at < end ? `row-${at}` : undefined}
      ref={box}
      onKeyDown={onKey}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        {columns.map(({ name, isNumber }) => (
          <span role="columnheader" class={isNumber ? 'number' : ''} key={name}>
            {name}
          </span>
        ))}
      </div>
      <div class="table-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, i) => (
          <div
            class="table-row"
            role="row"
            id={`row-${first + i}`}
            aria-rowindex={first + i + 2}
            aria-selected={first + i === at}
            key={keyOf(row)}
            style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={(event) => {
              if ((event.target as Element).closest('button, a')) return
              setCursor(undefined)
              onOpen(row)
            }}
          >
            {columns.map(({ name, isNumber, cell }) => (
              <span role="gridcell" class={isNumber ? 'number' : ''} data-name={name} key={name}>
                {cell(row)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
