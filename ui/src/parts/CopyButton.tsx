import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../lib/copyText.ts'

/** Puts a text on the clipboard, and says so. */
export function CopyButton({
  text,
  label,
  what,
}: {
  /** A function may resolve to undefined: the text could not be read, which has been told elsewhere. */
  text: string | (() => string | Promise<string | undefined>)
  label?: ComponentChildren
  what: string
}) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const read = typeof text === 'function' ? await text() : text
    if (read === undefined) return
    const isCopied = await copyText(read)
    setSaid(isCopied ? 'Copied' : 'Press Ctrl+C')
    setTimeout(() => setSaid(''), 2000)
  }
  return (
    <button
      type="button"
      class="small"
      aria-label={said || label ? undefined : `Copy ${what}`}
      onClick={() => void copy()}
    >
      {said || (label ?? 'Copy')}
      <span class="unseen" role="status">
        {said && `${said}: ${what}`}
      </span>
    </button>
  )
}
