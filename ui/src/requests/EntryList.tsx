import { useLayoutEffect, useRef } from 'preact/hooks'
import type { JournalEntry } from '../lib/types.ts'
import { useNarrow } from '../parts/useNarrow.ts'
import { useWindow } from '../parts/useWindow.ts'
import { useApp } from '../state/store.ts'
import { EntryRow } from './EntryRow.tsx'
import { linesOf } from './linesOf.ts'

interface Props {
  entries: readonly JournalEntry[]
  chosen: JournalEntry | undefined
  /** There is less room, with a request beside it */
  hasDetail: boolean
  onChoose: (id: string) => void
}

const step: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 12,
  PageUp: -12,
  Home: -1e6,
  End: 1e6,
}

/** The journal, newest first; only what is seen is drawn. Arrow keys move through it. */
export function EntryList({ entries, chosen, hasDetail, onChoose }: Props) {
  const lines = useApp((state) => state.lines)
  // Where there is no room for a line, there is for two.
  const isTall = useNarrow(hasDetail ? 1899 : 1149)
  const rowHeight = isTall ? 58 : 34
  const { box, first, end } = useWindow(entries.length, rowHeight)
  const at = chosen ? entries.indexOf(chosen) : -1
  useStayInPlace(box, entries, rowHeight)

  const move = (event: KeyboardEvent) => {
    const by = step[event.key]
    if (by === undefined || entries.length === 0) return
    event.preventDefault()
    const to = at < 0 ? 0 : Math.min(entries.length - 1, Math.max(0, at + by))
    onChoose(String(entries[to]?.id))
    reveal(box.current, to, rowHeight)
  }

  return (
    <div
      class={`entries ${isTall ? 'is-tall' : ''}`}
      role="listbox"
      aria-label="Requests, newest first"
      aria-activedescendant={at >= first && at < end ? `entry-${chosen?.id}` : undefined}
      tabindex={0}
      ref={box}
      onKeyDown={move}
    >
      <div class="entries-body" role="presentation" style={{ height: `${entries.length * rowHeight}px` }}>
        {entries.slice(first, end).map((entry, i) => (
          <div
            id={`entry-${entry.id}`}
            key={entry.id}
            class="entry"
            role="option"
            aria-selected={entry === chosen}
            aria-posinset={first + i + 1}
            aria-setsize={entries.length}
            style={{ top: `${(first + i) * rowHeight}px` }}
            onClick={() => onChoose(String(entry.id))}
          >
            <EntryRow entry={entry} lines={linesOf(entry, lines)} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** New entries come at the top; who has scrolled down goes on seeing what he saw. */
function useStayInPlace(
  box: { current: HTMLDivElement | null },
  entries: readonly JournalEntry[],
  rowHeight: number,
): void {
  const newest = useRef(entries[0])
  useLayoutEffect(() => {
    const old = newest.current
    newest.current = entries[0]
    const element = box.current
    if (!element || !old || element.scrollTop === 0) return
    const added = entries.indexOf(old)
    if (added > 0) element.scrollTop += added * rowHeight
  }, [box, entries, rowHeight])
}

function reveal(element: HTMLElement | null, at: number, rowHeight: number): void {
  if (!element) return
  const top = at * rowHeight
  if (top < element.scrollTop) element.scrollTop = top
  else if (top + rowHeight > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowHeight - element.clientHeight
}
