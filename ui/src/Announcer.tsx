import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from './lib/format.ts'
import { getState, useApp } from './state/store.ts'

/** At most so often something is said, in milliseconds. */
const pause = 5000

/** Tells screen readers of requests that came in while the page was open, seldom and summed up. */
export function Announcer() {
  const arrived = useApp((state) => state.arrived)
  const [text, setText] = useState('')
  const told = useRef(arrived)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    if (arrived === told.current || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      const { arrived: all, entries } = getState()
      const count = all - told.current
      told.current = all
      const [newest] = entries
      if (!newest) return
      const { operation, path, status } = newest
      setText(
        `${plural(count, 'new request')}. ${operation ?? path}: ${status ?? 'no response'} ${newest.case ?? ''}`,
      )
    }, pause)
  }, [arrived])
  return (
    <div class="unseen" role="log">
      {text}
    </div>
  )
}
