import type { ButtonHTMLAttributes } from 'preact'
import { getState, setState, useApp } from '../state/store.ts'

type Props = Omit<ButtonHTMLAttributes, 'onClick'> & {
  /** Left out if the button submits a form, which then has `submits` */
  action?: () => Promise<unknown>
  /** Two quick clicks are two steps, not a double click. */
  isStep?: boolean
}

/**
 * A button that changes something. While its action runs, no other button does anything, because what it would change may
 * no longer be what the user saw. It keeps the focus, unlike a disabled one.
 */
export function Button({ action, isStep = false, type = 'button', ...rest }: Props) {
  const isBusy = useApp((state) => state.isBusy)
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy}
      onClick={(event) => {
        if (event.detail > 1 && !isStep) event.preventDefault()
        else if (action) void alone(action)
      }}
    />
  )
}

/** The action of a form that is sent with such a button, or with Enter. */
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
