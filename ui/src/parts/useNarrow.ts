import { useEffect, useState } from 'preact/hooks'

/** Whether the page is narrow: rows then have more lines and fewer columns. The stylesheet has the same limit. */
export function useNarrow(limit = 759): boolean {
  const query = `(max-width: ${limit}px)`
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const asked = matchMedia(query)
    const look = () => setNarrow(asked.matches)
    look()
    asked.addEventListener('change', look)
    return () => asked.removeEventListener('change', look)
  }, [query])
  return isNarrow
}
