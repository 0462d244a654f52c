import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The range of visible rows in a scrolled box, plus a few on both sides. */
export function useWindow(count: number, rowHeight: number, more = 8) {
  const box = useRef<HTMLDivElement>(null)
  const [span, setSpan] = useState({ first: 0, end: 40 })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    const update = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - more)
      const end = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + more
      setSpan((old) => (old.first === first && old.end === end ? old : { first, end }))
    }
    update()
    element.addEventListener('scroll', update, { passive: true })
    const sizes = new ResizeObserver(update)
    sizes.observe(element)
    return () => {
      element.removeEventListener('scroll', update)
      sizes.disconnect()
    }
  }, [rowHeight, more])
  const end = Math.min(count, span.end)
  return { box, first: Math.min(span.first, Math.max(0, end - 1)), end }
}

/** Scrolls until a row is visible. */
export function reveal(box: HTMLElement | null, at: number, rowHeight: number, headHeight = 0): void {
  if (!box || at < 0) return
  const top = at * rowHeight
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight + headHeight > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight + headHeight - box.clientHeight
}

const steps: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 12,
  PageUp: -12,
  Home: -1e9,
  End: 1e9,
}

/** The row that a key moves to; undefined for other keys. */
export function nextRow(key: string, at: number, count: number): number | undefined {
  const by = steps[key]
  if (by === undefined || count === 0) return undefined
  return at < 0 ? 0 : Math.min(count - 1, Math.max(0, at + by))
}

/** Whether the page is narrow, as on a phone. The stylesheet uses the same limit. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia('(max-width: 899px)').matches)
  useEffect(() => {
    const media = matchMedia('(max-width: 899px)')
    const update = () => setNarrow(media.matches)
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [])
  return isNarrow
}
