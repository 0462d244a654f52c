import { useId, useRef, useState } from 'preact/hooks'
import { fetchAdmin, isLockedOut, rememberToken, withToken } from './lib/admin.ts'
import { Field } from './parts/Field.tsx'
import { Refused } from './parts/Refused.tsx'

const wrong =
  'That is not the token. It is the one that the simulator was started with (--admin-token or PROXYSIM_ADMIN_TOKEN).'

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
      setRefused(isLockedOut(error) ? wrong : `The simulator does not answer (${(error as Error).message}).`)
      field.current?.focus()
      return
    }
    rememberToken(token)
    onOpen()
  }
  return (
    <form
      class="form token-form"
      onSubmit={(event) => {
        event.preventDefault()
        void open()
      }}
    >
      <h1>The control plane asks for its token</h1>
      <p>
        The simulator was started with --admin-token. This tab remembers what you enter until it is closed.
      </p>
      <Field label="Admin token">
        {(input) => (
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
        )}
      </Field>
      {refused !== undefined && <Refused id={id} reason={refused} />}
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  )
}
