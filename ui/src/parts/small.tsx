import type { ComponentChildren } from 'preact'
import { lineText, type ChangeLine } from '../lib/describeChange.ts'

export type Outcome = 'good' | 'refused' | 'broken' | 'lost'

export function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'lost'
  return status < 300 ? 'good' : status < 500 ? 'refused' : 'broken'
}

/** An HTTP status, coloured by its class; none if the connection was dropped. */
export function Status({ status }: { status: number | null }) {
  return <span class={`status status-${outcomeOf(status)}`}>{status ?? 'lost'}</span>
}

/** A text of the contract: what stands in backticks is code. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>
}

/** A change, line by line, with what was there before. */
export function ChangeLines({ lines }: { lines: readonly ChangeLine[] }) {
  return (
    <ul class="changes">
      {lines.map((line) => (
        <li key={line.what}>
          <Change line={line} />
        </li>
      ))}
    </ul>
  )
}

function Change({ line }: { line: ChangeLine }) {
  const { sign, what, before, after } = line
  if (after === undefined)
    return (
      <span class={sign === '~' ? '' : `change-${sign === '+' ? 'add' : 'remove'}`}>{lineText(line)}</span>
    )
  return (
    <>
      {what}: {before !== undefined && <del>{before}</del>} <span aria-hidden="true">→</span>
      <span class="unseen">now</span> <ins>{after}</ins>
    </>
  )
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Longer than this is shown without colours. */
const longestColoured = 20_000

/** A value as JSON, or a text as it is. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <pre class="code" role="group" aria-label={label}>
      {typeof value === 'string' || text.length > longestColoured ? text : coloured(text)}
    </pre>
  )
}

function coloured(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const match of text.matchAll(token)) {
    const [all, quoted, colon] = match
    const kind = colon ? 'json-key' : quoted ? 'json-text' : 'json-value'
    parts.push(text.slice(at, match.index), <span class={kind}>{quoted ?? all}</span>, colon)
    at = match.index + all.length
  }
  return [...parts, text.slice(at)]
}

interface PaneProps {
  label: string
  title: ComponentChildren
  class?: string
  onClose: () => void
  children: ComponentChildren
}

/** What is open beside a list, or over it. */
export function Pane({ label, title, class: more = '', onClose, children }: PaneProps) {
  return (
    <article class={`pane ${more}`} aria-label={label}>
      <header class="pane-head">
        <h2>{title}</h2>
        <button type="button" class="small quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </article>
  )
}
