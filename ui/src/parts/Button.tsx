import type { ButtonHTMLAttributes } from 'preact'
import { getState, setState, useApp } from '../state/store.ts'

type Props = Omit<ButtonHTMLAttributes, 'onClick'> & {
  /** Omitted if the button submits a form that uses `submits` */
  action?: () => Promise<unknown>
  /** Whether a double click counts as two clicks */
  isStep?: boolean
}

/**
 * A button that changes something. While its action runs, other buttons do nothing, because the state that the user saw may
 * be outdated. Unlike a disabled button, it keeps the focus.
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
        else if (action) void runExclusively(action)
      }}
    />
  )
}

/** The submit handler of a form whose submit button is a `Button`. */
export function submitHandler(action: () => Promise<unknown>): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    void runExclusively(action)
  }
}

async function runExclusively(action: () => Promise<unknown>): Promise<void> {
  if (getState().isBusy) return
  setState({ isBusy: true })
  try {
    await action()
  } finally {
    setState({ isBusy: false })
  }
}
