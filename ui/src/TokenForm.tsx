import { fetchAdmin, isLockedOut, rememberToken, withToken } from './lib/admin.ts'
import { TextForm } from './parts/Field.tsx'

/** Asks for the token of the control plane; this tab remembers it if it is the right one. */
export function TokenForm({ onOpen }: { onOpen: () => void }) {
  const open = async (token: string) => {
    try {
      // No header can hold other characters.
      await fetchAdmin('/scenarios', { headers: withToken(/^[\x21-\x7e]+$/.test(token) ? token : '-') })
    } catch (error) {
      if (isLockedOut(error)) return 'Wrong token. It is the value of --admin-token or PROXYSIM_ADMIN_TOKEN.'
      return `The simulator does not respond (${(error as Error).message}).`
    }
    rememberToken(token)
    onOpen()
    return undefined
  }
  return (
    <div class="page-text">
      <h1>Enter the admin token</h1>
      <p>The simulator was started with --admin-token. This tab keeps the token until it is closed.</p>
      <TextForm label="Admin token" isSecret button="Open" onSubmit={open} />
    </div>
  )
}
