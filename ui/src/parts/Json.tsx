import type { ComponentChildren } from 'preact'

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Longer than this is shown without colours. */
const longestColoured = 20_000

/** A value as JSON, or a text as it is. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    // A box that scrolls must be reachable by keyboard.
    <pre class="code" tabindex={0} role="region" aria-label={label}>
      {typeof value === 'string' || text.length > longestColoured ? text : coloured(text)}
    </pre>
  )
}

function coloured(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const match of text.matchAll(token)) {
    parts.push(text.slice(at, match.index))
    const [all, quoted, colon] = match
    const kind = colon ? 'json-key' : quoted ? 'json-text' : 'json-value'
    parts.push(<span class={kind}>{quoted ?? all}</span>, colon)
    at = match.index + all.length
  }
  parts.push(text.slice(at))
  return parts
}
