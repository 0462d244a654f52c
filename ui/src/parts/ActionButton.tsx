import type { ButtonHTMLAttributes } from 'preact'
import { getState, setState, useApp } from '../state/store.ts'

type Props = Omit<ButtonHTMLAttributes, 'onClick'> & {
  /** Left out where the button submits a form, which then has `submits` */
  action?: () => Promise<unknown>
}

/**
 * A button that changes something by the control plane. While one is at work, none does anything: the second click of a
 * double click would do it again, and load over the state that Undo brings back. It keeps the focus, unlike if disabled.
 */
export function ActionButton({ action, type = 'button', ...rest }: Props) {
  const isBusy = useApp((state) => state.isBusy)
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy}
      {...(action && { onClick: () => void alone(action) })}
    />
  )
}

/** What a form does that is sent by such a button, or by Enter. */
export function submits(action: () => Promise<unknown>): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    void alone(action)
  }
}

async function alone(action: () => Promise<unknown>): Promise<void> {
  if (getState().isBusy) return
  setState({ isBusy: true })
  try {
    await action()
  } finally {
    setState({ isBusy: false })
  }
}
