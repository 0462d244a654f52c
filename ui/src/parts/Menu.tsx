import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** Unique on the page */
  name: string
  /** The button's content */
  label: ComponentChildren
  /** The name of the menu, and of the button if `isButtonTitled` */
  title: string
  isButtonTitled?: boolean
  class?: string
  /** Width in pixels, if there is room. @default 320 */
  width?: number
  /** Whether its contents are there while it is closed, because `openMenu` opens one of the menus in it */
  isAlwaysRendered?: boolean
  children: ComponentChildren
}

/** A button that opens a menu over the page. Escape or a click outside closes it. */
export function Menu({
  name,
  label,
  title,
  isButtonTitled,
  class: className = 'chip',
  width = 320,
  isAlwaysRendered = false,
  children,
}: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement
    // Renders the contents before the menu is shown, because its position depends on them.
    const onToggle = (event: Event) => setOpen((event as ToggleEvent).newState === 'open')
    element.addEventListener('beforetoggle', onToggle)
    return () => element.removeEventListener('beforetoggle', onToggle)
  }, [])
  useLayoutEffect(() => {
    if (isOpen && box.current && button.current) position(box.current, button.current, width)
  })
  return (
    <>
      <button
        type="button"
        class={className}
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
        {(isOpen || isAlwaysRendered) && children}
      </div>
    </>
  )
}

/** Positions a menu under its button, or above if there is more room, within the window. */
function position(box: HTMLElement, button: HTMLElement, width: number): void {
  const { left, bottom, top } = button.getBoundingClientRect()
  const [above, below] = [top - 12, innerHeight - bottom - 12]
  const isBelow = below > 300 || below >= above
  box.style.maxHeight = `${isBelow ? below : above}px`
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - Math.min(width, innerWidth - 16) - 8))}px`
  box.style.top = isBelow ? `${bottom + 4}px` : 'auto'
  box.style.bottom = isBelow ? 'auto' : `${innerHeight - top + 4}px`
}

/** Opens a menu, and the menu that contains it. */
export function openMenu(name: string): void {
  const menu = document.getElementById(`menu-${name}`)
  const around = menu?.parentElement?.closest<HTMLElement>('.menu:not(:popover-open)')
  around?.showPopover()
  menu?.showPopover()
}

/** Closes the open menu, and those in it. */
export function closeMenu(): void {
  document.querySelector<HTMLElement>('.menu:popover-open')?.hidePopover()
}
