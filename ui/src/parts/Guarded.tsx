import type { ComponentChildren } from 'preact'
import { useErrorBoundary, useRef } from 'preact/hooks'

interface Props {
  /** Drawing is tried again once this changes. */
  place: string
  children: ComponentChildren
}

/** If drawing its children throws, says so in their place; the rest of the page still works. */
export function Guarded({ place, children }: Props) {
  const failedAt = useRef<string | undefined>(undefined)
  const [error, again] = useErrorBoundary((thrown: unknown) => {
    failedAt.current = place
    console.error(thrown)
  })
  if (error === undefined || failedAt.current !== place) return <>{children}</>
  return (
    <div class="page-text" role="alert">
      <h1>This page could not be drawn</h1>
      <p>This is a bug in the dashboard. The simulator and the other pages still work.</p>
      <p>
        <code>{String(error)}</code>
      </p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}
