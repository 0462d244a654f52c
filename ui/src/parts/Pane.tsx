import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

interface PaneProps {
  label: string
  title: ComponentChildren
  onClose: () => void
  children: ComponentChildren
}

/** The details of an item, next to its list; on narrow pages instead of it. */
export function Pane({ label, title, onClose, children }: PaneProps) {
  return (
    <article class="pane" aria-label={label}>
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

/** Closes the open panel on Escape, unless a field or a menu handles the key. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if (document.querySelector('.menu:popover-open')) return
      if ((event.target as Element).matches('input[type="search"]:not(:placeholder-shown), select')) return
      close()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}
