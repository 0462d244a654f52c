import { useState } from 'preact/hooks'
import { rememberToken } from './lib/admin.ts'
import { Field } from './parts/Field.tsx'
import { reconnect } from './state/live.ts'

/** Asks for the token of the control plane; this tab remembers it. */
export function TokenForm() {
  const [token, setToken] = useState('')
  return (
    <form
      class="form token-form"
      onSubmit={(event) => {
        event.preventDefault()
        rememberToken(token)
        reconnect()
      }}
    >
      <h1>The control plane asks for its token</h1>
      <p>
        The simulator was started with --admin-token. This tab remembers what you enter until it is closed.
      </p>
      <Field label="Admin token">
        {(id) => (
          <input
            id={id}
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  )
}
