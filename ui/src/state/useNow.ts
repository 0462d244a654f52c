import { useContext, useEffect } from 'preact/hooks'
import { PastWorld } from './pastWorld.ts'
import { useApp, useRedraw } from './store.ts'

/** What the clock of the world that is shown reads, in milliseconds since 1970; it ticks where the clock runs. */
export function useNow(): number {
  const past = useContext(PastWorld)?.clock
  const present = useApp((state) => state.world?.clock)
  const clock = past ?? present
  const ahead = useApp((state) => state.clockAhead)
  const redraw = useRedraw()
  const isRunning = clock !== undefined && !clock.frozen
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(redraw, 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return isRunning ? Date.now() + ahead : Date.parse(clock?.now ?? '')
}
