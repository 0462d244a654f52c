import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The range of visible rows in a scrolled box, extended by `overscan` rows on both sides. */
export function useWindow(count: number, rowHeight: number, overscan = 8) {
  const box = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ first: 0, end: 40 })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    const update = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan)
      const end = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + overscan
      setRange((old) => (old.first === first && old.end === end ? old : { first, end }))
    }
    update()
    element.addEventListener('scroll', update, { passive: true })
    const resizeObserver = new ResizeObserver(update)
    resizeObserver.observe(element)
    return () => {
      element.removeEventListener('scroll', update)
      resizeObserver.disconnect()
    }
  }, [rowHeight, overscan])
  const end = Math.min(count, range.end)
  return { box, first: Math.min(range.first, Math.max(0, end - 1)), end }
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
export function getNextRow(key: string, at: number, count: number): number | undefined {
  const step = steps[key]
  if (step === undefined || count === 0) return undefined
  return at < 0 ? 0 : Math.min(count - 1, Math.max(0, at + step))
}

/** Whether the page is narrow, as on a phone. The stylesheet uses the same limit. */
export function useNarrow(): boolean {
  return useMedia('(max-width: 899px)')
}

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useLayoutEffect(() => {
    const media = matchMedia(query)
    const update = () => setMatches(media.matches)
    update()
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [query])
  return matches
}
