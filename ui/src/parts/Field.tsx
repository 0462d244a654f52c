import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A labelled control: the label stands above it; the control takes the id that it is given. */
export function Field({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}
