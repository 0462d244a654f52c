import type { ComponentChildren } from 'preact'

/** A labelled control: the label stands above it. */
export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  )
}
