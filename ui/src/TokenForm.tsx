import { fetchAdmin, isLockedOut, describeNoResponse, storeToken, getTokenHeader } from './lib/admin.ts'
import { TextForm } from './parts/Field.tsx'

/** Asks for the admin token, and stores it for this tab if it is correct. */
export function TokenForm({ onOpen }: { onOpen: () => void }) {
  const open = async (token: string) => {
    try {
      // Headers can't contain other characters.
      await fetchAdmin('/scenarios', { headers: getTokenHeader(/^[\x21-\x7e]+$/.test(token) ? token : '-') })
    } catch (error) {
      if (isLockedOut(error)) return 'Wrong token. Enter the value of --admin-token or PROXYSIM_ADMIN_TOKEN.'
      return describeNoResponse(error)
    }
    storeToken(token)
    onOpen()
    return undefined
  }
  return (
    <div class="page-text">
      <h1>Enter the admin token</h1>
      <p>The simulator was started with --admin-token. This tab stores the token until you close it.</p>
      <TextForm label="Admin token" isSecret button="Continue" onSubmit={open} />
    </div>
  )
}
