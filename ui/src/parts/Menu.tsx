import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** Unique on the page */
  name: string
  /** The button's content */
  label: ComponentChildren
  /** The name of what opens, and of the button where its label isn't one */
  title: string
  isButtonTitled?: boolean
  class?: string
  /** How many pixels wide it is, where there is room */
  width?: number
  children: ComponentChildren
}

/** A button and what it opens over the page; Escape, or a click beside it, closes it. */
export function Menu({
  name,
  label,
  title,
  isButtonTitled,
  class: kind = 'chip',
  width = 320,
  children,
}: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement
    // Before it is shown, so that it has its contents when it is placed.
    const opening = (event: Event) => setOpen((event as ToggleEvent).newState === 'open')
    element.addEventListener('beforetoggle', opening)
    return () => element.removeEventListener('beforetoggle', opening)
  }, [])
  useLayoutEffect(() => {
    if (isOpen && box.current && button.current) place(box.current, button.current, width)
  })
  return (
    <>
      <button
        type="button"
        class={kind}
        ref={button}
        popovertarget={`menu-${name}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(isButtonTitled && { 'aria-label': title, title })}
      >
        {label}
      </button>
      <div
        popover="auto"
        class="menu"
        id={`menu-${name}`}
        role="dialog"
        aria-label={title}
        ref={box}
        style={{ width: `min(${width}px, calc(100vw - 16px))` }}
      >
        {isOpen && children}
      </div>
    </>
  )
}

/** Under its button, or above where there is more room; never beyond the edges. */
function place(box: HTMLElement, button: HTMLElement, width: number): void {
  const { left, bottom, top } = button.getBoundingClientRect()
  const [above, below] = [top - 12, innerHeight - bottom - 12]
  const isBelow = below > 300 || below >= above
  box.style.maxHeight = `${isBelow ? below : above}px`
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - Math.min(width, innerWidth - 16) - 8))}px`
  box.style.top = isBelow ? `${bottom + 4}px` : 'auto'
  box.style.bottom = isBelow ? 'auto' : `${innerHeight - top + 4}px`
}

export function openMenu(name: string): void {
  document.getElementById(`menu-${name}`)?.showPopover()
}

/** Closes the menu that something is in. */
export function closeMenu(): void {
  document.querySelector<HTMLElement>('.menu:popover-open')?.hidePopover()
}
