import type { ComponentChildren } from 'preact'
import { useErrorBoundary, useRef } from 'preact/hooks'

interface Props {
  /** What failed in one place is tried anew in another. */
  place: string
  children: ComponentChildren
}

/** Where drawing throws, says so in place of what it wraps; the rest of the page goes on. */
export function Guarded({ place, children }: Props) {
  const failedAt = useRef<string | undefined>(undefined)
  const [error, again] = useErrorBoundary((thrown: unknown) => {
    failedAt.current = place
    console.error(thrown)
  })
  if (error === undefined || failedAt.current !== place) return <>{children}</>
  return (
    <div class="callout callout-broken guarded" role="alert">
      <h1>This page could not be drawn</h1>
      <p>It is a bug of the dashboard; the simulator and the other pages go on.</p>
      <p>
        <code>{String(error)}</code>
      </p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}
