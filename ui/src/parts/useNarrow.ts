import { useEffect, useState } from 'preact/hooks'

/** Whether the page is narrow, such as on a phone. The stylesheet has the same limit. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia('(max-width: 759px)').matches)
  useEffect(() => {
    const asked = matchMedia('(max-width: 759px)')
    const look = () => setNarrow(asked.matches)
    asked.addEventListener('change', look)
    return () => asked.removeEventListener('change', look)
  }, [])
  return isNarrow
}
