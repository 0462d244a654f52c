import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  title: string
  /** Stands beside the title */
  aside?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A titled box. */
export function Section({ title, aside, children, class: more = '' }: Props) {
  const id = useId()
  return (
    <section class={`box ${more}`} aria-labelledby={id}>
      <header class="box-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
