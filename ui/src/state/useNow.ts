import { useEffect, useReducer } from 'preact/hooks'
import { useApp } from './store.ts'

/** What the chosen account's clock reads, in milliseconds since 1970; it ticks where the clock runs. */
export function useNow(): number {
  const clock = useApp((state) => state.world?.clock)
  const ahead = useApp((state) => state.clockAhead)
  const [, tick] = useReducer((count: number, _asked: undefined) => count + 1, 0)
  const isRunning = clock !== undefined && !clock.frozen
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => tick(undefined), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return isRunning ? Date.now() + ahead : Date.parse(clock?.now ?? '')
}
