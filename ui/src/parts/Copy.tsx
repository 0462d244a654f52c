import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../lib/copyText.ts'

interface Props {
  /** A function returns undefined if it couldn't read the text and has reported that. */
  text: string | (() => string | Promise<string | undefined>)
  /** A name for the copied value, for screen readers */
  name: string
  label?: ComponentChildren
  class?: string
}

/** Copies a text, and shows the result. */
export function Copy({ text, name, label, class: className = 'small quiet' }: Props) {
  const [result, setResult] = useState('')
  const copy = async () => {
    const content = typeof text === 'function' ? await text() : text
    if (content === undefined) return
    setResult((await copyText(content)) ? 'Copied' : 'Copy failed')
    setTimeout(() => setResult(''), 2000)
  }
  return (
    <button
      type="button"
      class={className}
      aria-label={label ? undefined : `Copy ${name}`}
      onClick={() => void copy()}
    >
      {result || (label ?? 'Copy')}
      <span class="unseen" role="status">
        {result && `${result}: ${name}`}
      </span>
    </button>
  )
}
