import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from './lib/format.ts'
import { useApp } from './state/store.ts'

/** At most so often something is said, in milliseconds. */
const pause = 5000

/** Tells screen readers of requests that came in while the page was open, seldom and summed up. */
export function Announcer() {
  const arrived = useApp((state) => state.arrived)
  const newest = useApp((state) => state.entries[0])
  const [text, setText] = useState('')
  const told = useRef(arrived)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef({ arrived, newest })
  latest.current = { arrived, newest }
  useEffect(() => {
    if (arrived === told.current || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      const { arrived: all, newest: entry } = latest.current
      const count = all - told.current
      told.current = all
      if (!entry) return // the journal was emptied meanwhile
      const { operation, path, status } = entry
      setText(
        `${plural(count, 'new request')}. ${operation ?? path}: ${status ?? 'no answer'} ${entry.case ?? ''}`,
      )
    }, pause)
  }, [arrived])
  return (
    <div class="unseen" role="log">
      {text}
    </div>
  )
}
