import { useContext, useEffect, useReducer } from 'preact/hooks'
import { PastWorld } from './pastWorld.ts'
import { useApp } from './store.ts'

/** What the clock of the world that is shown reads, in milliseconds since 1970; it ticks where the clock runs. */
export function useNow(): number {
  const past = useContext(PastWorld)?.clock
  const present = useApp((state) => state.world?.clock)
  const clock = past ?? present
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
