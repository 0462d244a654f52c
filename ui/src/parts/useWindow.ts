import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Span {
  first: number
  /** Behind the last */
  end: number
}

/** Which rows of a scrolled box are seen, a few more on both sides. */
export function useWindow(count: number, rowHeight: number, more = 8) {
  const box = useRef<HTMLDivElement>(null)
  const [span, setSpan] = useState<Span>({ first: 0, end: 40 })
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
