import { useLayoutEffect } from 'preact/hooks'
import type { ClockReading } from '../lib/types.ts'
import { getState, useApp, useRerender } from './store.ts'

/** Computes the time of a clock, in milliseconds since 1970. */
export function getClockTime(clock: ClockReading | undefined): number {
  const { clockReadAt } = getState()
  const read = Date.parse(clock?.now ?? '')
  return clock && !clock.frozen ? read + (Date.now() - clockReadAt) * (clock.rate ?? 1) : read
}

/** The time of the chosen account's clock. The component renders again each second while it runs. */
export function useNow(): number {
  const clock = useApp((state) => state.world?.clock)
  const rerender = useRerender()
  const isRunning = clock !== undefined && !clock.frozen
  useLayoutEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(rerender, 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return getClockTime(clock)
}
