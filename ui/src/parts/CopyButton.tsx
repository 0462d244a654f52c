import { useState } from 'preact/hooks'
import { copyText } from '../lib/copyText.ts'

/** Puts a text on the clipboard, and says so. */
export function CopyButton({
  text,
  label,
  what,
}: {
  text: string | (() => string)
  label?: string
  what: string
}) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const isCopied = await copyText(typeof text === 'function' ? text() : text)
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
