import { useLayoutEffect, useState } from 'preact/hooks'
import { admin } from '../lib/admin.ts'
import { formatLocalTime, pluralize } from '../lib/format.ts'
import type { RequestPage } from '../lib/types.ts'
import { Menu } from '../parts/Menu.tsx'

/** Requests that were refused before they reached the API, such as those with a wrong path. */
export function Refused() {
  const [refused, setRefused] = useState<RequestPage['refused']>()
  useLayoutEffect(() => {
    const load = () => {
      if (document.hidden) return
      admin<RequestPage>('GET', '/requests?limit=0').then(
        (page) => setRefused(page.refused),
        () => {}, // the bar shows that the simulator is not connected
      )
    }
    load()
    const timer = setInterval(load, 2000) // there are no events for these requests
    return () => clearInterval(timer)
  }, [])
  if (!refused || refused.last.length === 0) return null
  return (
    <Menu
      name="refused"
      title="Requests that never reached the API"
      class="chip tone-warn"
      width={560}
      label={`${pluralize(refused.count, 'request')} never reached the API`}
    >
      <h2>Requests that never reached the API</h2>
      <ul class="lines">
        {refused.last.map(({ time, method, path, host, status, reason }) => (
          <li key={time}>
            {formatLocalTime(Date.parse(time))} {status ?? 'closed'} {method} {path} (host {host}): {reason}
          </li>
        ))}
      </ul>
    </Menu>
  )
}
