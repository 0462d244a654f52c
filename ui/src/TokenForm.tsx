import { useState } from 'preact/hooks'
import { fetchAdmin, isLockedOut, rememberToken, withToken } from './lib/admin.ts'
import { FieldError } from './parts/Field.tsx'

const wrong = 'Wrong token. It is the value of --admin-token or PROXYSIM_ADMIN_TOKEN.'

/** Asks for the token of the control plane; this tab remembers it if it is the right one. */
export function TokenForm({ onOpen }: { onOpen: () => void }) {
  const [token, setToken] = useState('')
  const [refused, setRefused] = useState<string>()
  const open = async (event: Event) => {
    event.preventDefault()
    setRefused(undefined) // the same again is told again
    try {
      await fetchAdmin('/scenarios', { headers: withToken(token) })
    } catch (error) {
      setRefused(isLockedOut(error) ? wrong : `The simulator does not respond (${(error as Error).message}).`)
      return
    }
    rememberToken(token)
    onOpen()
  }
  return (
    <form class="page-text" onSubmit={(event) => void open(event)}>
      <h1>Enter the admin token</h1>
      <p>The simulator was started with --admin-token. This tab keeps the token until it is closed.</p>
      <span class="editable">
        <input
          type="password"
          aria-label="Admin token"
          autocomplete="off"
          required
          // No header can hold another.
          pattern="[\x21-\x7e]+"
          title="printable ASCII characters without spaces"
          aria-invalid={refused !== undefined}
          {...(refused !== undefined && { 'aria-describedby': 'token-error' })}
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <FieldError id="token-error" reason={refused} />
      </span>
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  )
}
