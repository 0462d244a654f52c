import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../lib/copyText.ts'

interface Props {
  /** A function may resolve to undefined if the text could not be read, which it has then reported. */
  text: string | (() => string | Promise<string | undefined>)
  /** The copied value, for screen readers; the button's whole name if it has no label */
  what: string
  label?: ComponentChildren
  class?: string
}

/** Puts a text on the clipboard, and says so. */
export function Copy({ text, what, label, class: kind = 'small quiet' }: Props) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const read = typeof text === 'function' ? await text() : text
    if (read === undefined) return
    setSaid((await copyText(read)) ? 'Copied' : 'Press Ctrl+C')
    setTimeout(() => setSaid(''), 2000)
  }
  return (
    <button
      type="button"
      class={kind}
      aria-label={label ? undefined : `Copy ${what}`}
      onClick={() => void copy()}
    >
      {said || (label ?? 'Copy')}
      <span class="unseen" role="status">
        {said && `${said}: ${what}`}
      </span>
    </button>
  )
}
