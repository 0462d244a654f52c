import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { getNextRow, reveal, useNarrow, useWindow } from './useWindow.ts'

type SortValue = string | number | undefined

export interface Column<Row> {
  name: string
  isNumber?: boolean
  /** Whether narrow pages show the column's name before the value */
  isLabelled?: boolean
  cell: (row: Row) => ComponentChildren
  /** Omitted if the table can't be sorted by this column */
  sortBy?: (row: Row) => SortValue
}

interface Props<Row> {
  label: string
  /** Height of a row on narrow pages. @default 52, for two lines */
  narrowHeight?: number
  /** Widths of the columns, as in a CSS grid */
  widths: string
  rows: readonly Row[]
  getKey: (row: Row) => string
  columns: readonly Column<Row>[]
  /** Key of the open row */
  open?: string
  onOpen: (row: Row) => void
  empty: ComponentChildren
}

/** A table that renders only visible rows. Arrow keys move, Enter or a click opens a row, a click on a heading sorts. */
export function Table<Row>({
  label,
  narrowHeight = 52,
  widths,
  rows: unsorted,
  getKey,
  columns,
  open,
  onOpen,
  empty,
}: Props<Row>) {
  const rowHeight = useNarrow() ? narrowHeight : 32
  const { box, first, end } = useWindow(unsorted.length, rowHeight)
  const [sort, setSort] = useState<{ by: string; isDescending: boolean }>()
  const rows = useMemo(() => {
    const value = columns.find(({ name }) => name === sort?.by)?.sortBy
    if (!sort || !value) return unsorted
    const sorted = unsorted.toSorted((a, b) => compare(value(a), value(b)))
    return sort.isDescending ? sorted.toReversed() : sorted
  }, [unsorted, sort])
  const [cursor, setCursor] = useState<string>()
  if (rows.length === 0) return <p class="empty">{empty}</p>
  const at = rows.findIndex((row) => getKey(row) === (cursor ?? open))
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current) return
    if (event.key === 'Enter' && rows[at]) onOpen(rows[at])
    const to = getNextRow(event.key, at, rows.length)
    if (to === undefined) return
    event.preventDefault()
    setCursor(getKey(rows[to] as Row))
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
        {columns.map(({ name, isNumber, sortBy }) => {
          const order = sort?.by !== name ? undefined : sort.isDescending ? 'descending' : 'ascending'
          return (
            <span role="columnheader" class={isNumber ? 'number' : ''} key={name} aria-sort={order}>
              {sortBy ? (
                <button
                  type="button"
                  class="sort"
                  onClick={() => setSort({ by: name, isDescending: order === 'ascending' })}
                >
                  {name}
                  <span aria-hidden="true">{order && (order === 'ascending' ? '↑' : '↓')}</span>
                </button>
              ) : (
                name
              )}
            </span>
          )
        })}
      </div>
      <div class="table-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, i) => (
          <div
            class="table-row"
            role="row"
            id={`row-${first + i}`}
            aria-rowindex={first + i + 2}
            aria-selected={first + i === at}
            key={getKey(row)}
            style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={(event) => {
              if ((event.target as Element).closest('button, a')) return
              setCursor(undefined)
              onOpen(row)
            }}
          >
            {columns.map(({ name, isNumber, isLabelled, cell }) => (
              <span
                role="gridcell"
                class={isNumber ? 'number' : ''}
                key={name}
                {...(isLabelled && { 'data-name': name })}
              >
                {cell(row)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Compares numbers by value and other values as text. Missing values come first. */
function compare(a: SortValue, b: SortValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a ?? '').localeCompare(String(b ?? ''), 'en', { numeric: true })
}
