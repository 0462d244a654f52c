import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../lib/copyText.ts'

interface Props {
  /** A function returns undefined if it couldn't read the text and has reported that. */
  text: string | (() => string | Promise<string | undefined>)
  /** A name for the copied value, for screen readers */
  what: string
  label?: ComponentChildren
  class?: string
}

/** Copies a text, and shows the result. */
export function Copy({ text, what, label, class: kind = 'small quiet' }: Props) {
  const [result, setResult] = useState('')
  const copy = async () => {
    const read = typeof text === 'function' ? await text() : text
    if (read === undefined) return
    setResult((await copyText(read)) ? 'Copied' : 'Copy failed')
    setTimeout(() => setResult(''), 2000)
  }
  return (
    <button
      type="button"
      class={kind}
      aria-label={label ? undefined : `Copy ${what}`}
      onClick={() => void copy()}
    >
      {result || (label ?? 'Copy')}
      <span class="unseen" role="status">
        {result && `${result}: ${what}`}
      </span>
    </button>
  )
}
