import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'

/** If drawing its children throws, says so in their place; the rest of the page still works. */
export function Guarded({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary((thrown: unknown) => console.error(thrown))
  if (error === undefined) return <>{children}</>
  return (
    <div class="page-text" role="alert">
      <h1>This page could not be drawn</h1>
      <p>This is a bug in the dashboard. The simulator and the other pages still work.</p>
      <code>{String(error)}</code>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}
