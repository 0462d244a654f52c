import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Which rows of a scrolled box are seen, a few more on both sides. */
export function useWindow(count: number, rowHeight: number, more = 8) {
  const box = useRef<HTMLDivElement>(null)
  const [span, setSpan] = useState({ first: 0, end: 40 })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - more)
      const end = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + more
      setSpan((old) => (old.first === first && old.end === end ? old : { first, end }))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      sizes.disconnect()
    }
  }, [rowHeight, more])
  const end = Math.min(count, span.end)
  return { box, first: Math.min(span.first, Math.max(0, end - 1)), end }
}

/** Scrolls so that a row can be seen. */
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

/** Where a key moves to in a list; undefined if it is not such a key. */
export function moved(key: string, at: number, count: number): number | undefined {
  const by = steps[key]
  if (by === undefined || count === 0) return undefined
  return at < 0 ? 0 : Math.min(count - 1, Math.max(0, at + by))
}

/** Whether the page is narrow, such as on a phone. The stylesheet has the same limit. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia('(max-width: 899px)').matches)
  useEffect(() => {
    const asked = matchMedia('(max-width: 899px)')
    const look = () => setNarrow(asked.matches)
    asked.addEventListener('change', look)
    return () => asked.removeEventListener('change', look)
  }, [])
  return isNarrow
}
