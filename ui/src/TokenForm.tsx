import { useId, useRef, useState } from 'preact/hooks'
import { fetchAdmin, isLockedOut, rememberToken, withToken } from './lib/admin.ts'
import { Field, FieldError } from './parts/Field.tsx'

const wrong = 'Wrong token. It is the value of --admin-token or PROXYSIM_ADMIN_TOKEN.'

/** Asks for the token of the control plane; this tab remembers it if it is the right one. */
export function TokenForm({ onOpen }: { onOpen: () => void }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [token, setToken] = useState('')
  const [refused, setRefused] = useState<string>()
  const open = async () => {
    setRefused(undefined) // the same again is told again
    try {
      await fetchAdmin('/scenarios', { headers: withToken(token) })
    } catch (error) {
      setRefused(isLockedOut(error) ? wrong : `The simulator does not respond (${(error as Error).message}).`)
      field.current?.focus()
      return
    }
    rememberToken(token)
    onOpen()
  }
  return (
    <form
      class="page-text token-form"
      onSubmit={(event) => {
        event.preventDefault()
        void open()
      }}
    >
      <h1>Enter the admin token</h1>
      <p>The simulator was started with --admin-token. This tab keeps the token until it is closed.</p>
      <Field label="Admin token">
        {(input) => (
          <span class="editable">
            <input
              id={input}
              ref={field}
              type="password"
              autocomplete="off"
              required
              // No header can hold another.
              pattern="[\x21-\x7e]+"
              title="printable ASCII characters without spaces"
              aria-invalid={refused !== undefined}
              {...(refused !== undefined && { 'aria-describedby': id })}
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
            <FieldError id={id} reason={refused} />
          </span>
        )}
      </Field>
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  )
}
