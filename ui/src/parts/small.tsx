import type { ComponentChildren } from 'preact'
import { Button } from './Button.tsx'

/** CSS class for the outcome of a request */
export function getTone(status: number | null): string {
  if (status === null) return 'tone-lost'
  return status < 300 ? 'tone-good' : status < 500 ? 'tone-warn' : 'tone-bad'
}

/** An HTTP status colored by its class, or `lost` if the connection was dropped. */
export function Status({ status }: { status: number | null }) {
  return <span class={`status ${getTone(status)}`}>{status ?? 'lost'}</span>
}

/** A text of the contract. Backticks mark code; double asterisks mark bold text. */
export function Prose({ text }: { text: string }) {
  const parts = text.split(/(`[^`]*`|\*\*[^*]*\*\*)/)
  return (
    <>
      {parts.map((part, i) => {
        if (part.startsWith('`')) return <code key={i}>{part.slice(1, -1)}</code>
        return part.startsWith('**') ? <b key={i}>{part.slice(2, -2)}</b> : part
      })}
    </>
  )
}

/** A list of names and values. */
export function Facts({
  rows,
}: {
  rows: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  return (
    <dl class="rows">
      {rows.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface Line {
  key: string | number
  text: ComponentChildren
  /** The button's visible text */
  button: string
  /** The button's name for screen readers */
  label: string
  action: () => Promise<unknown>
  isMuted?: boolean
}

/** A list with a button on each line. */
export function Lines({ label, lines }: { label: string; lines: readonly Line[] }) {
  return (
    <ul class="lines" aria-label={label}>
      {lines.map(({ key, text, button, label: name, action, isMuted }) => (
        <li key={key} class={isMuted ? 'muted' : ''}>
          <span>{text}</span>
          <Button class="small" aria-label={name} action={action}>
            {button}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** A value as JSON, or a text unchanged. */
export function Json({ value, label, isTall }: { value: unknown; label: string; isTall?: boolean }) {
  return (
    <pre
      class={`code ${isTall ? 'tall' : ''}`}
      role="group"
      aria-label={label}
      {...(isTall && { tabIndex: 0 })} // focusable, because it scrolls
    >
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  )
}
