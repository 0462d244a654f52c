import { useEffect, useState } from 'preact/hooks'

const query = matchMedia('(max-width: 759px)')

/** Whether the page is narrow: rows then have more lines and fewer columns. The stylesheet has the same limit. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const look = () => setNarrow(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return isNarrow
}
