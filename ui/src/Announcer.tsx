import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from './lib/format.ts'
import { useApp } from './state/store.ts'

/** At most so often something is said, in milliseconds. */
const pause = 5000

/** Tells screen readers of new requests, seldom and summed up. */
export function Announcer() {
  const newest = useApp((state) => state.entries[0])
  const [text, setText] = useState('')
  const said = useRef(newest?.id)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(newest)
  latest.current = newest
  useEffect(() => {
    if (!newest || newest.id === said.current || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      const entry = latest.current
      if (!entry) return
      const count = entry.id - (said.current ?? entry.id - 1)
      said.current = entry.id
      setText(
        `${plural(count, 'new request')}. ${entry.operation ?? entry.path}: ${entry.status ?? 'no answer'} ${entry.case ?? ''}`,
      )
    }, pause)
  }, [newest])
  return (
    <div class="unseen" role="log" aria-live="polite">
      {text}
    </div>
  )
}
