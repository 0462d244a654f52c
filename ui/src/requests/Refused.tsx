import { useEffect, useState } from 'preact/hooks'
import { admin } from '../lib/admin.ts'
import { formatLocalTime, pluralize } from '../lib/format.ts'
import type { RequestPage } from '../lib/types.ts'

/** Requests that were refused before they reached the API, such as those with a wrong path. */
export function Refused() {
  const [refused, setRefused] = useState<RequestPage['refused']>()
  useEffect(() => {
    const load = () =>
      void admin<RequestPage>('GET', '/requests?limit=0').then(
        (page) => setRefused(page.refused),
        () => {}, // the bar shows that the simulator is not connected
      )
    load()
    const timer = setInterval(load, 2000) // there are no events for these requests
    return () => clearInterval(timer)
  }, [])
  const [latest] = refused?.last ?? []
  if (!refused || !latest) return null
  return (
    <details class="refused">
      <summary>
        <b class="state tone-warn">{pluralize(refused.count, 'request')} never reached the API</b>{' '}
        {latest.method} {latest.path}
      </summary>
      <ul class="lines">
        {refused.last.map(({ time, method, path, host, status, reason }) => (
          <li key={time}>
            {formatLocalTime(Date.parse(time))} {status ?? 'closed'} {method} {path} (host {host}): {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}
