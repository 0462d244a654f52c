import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { WorldView } from '../admin/shapes.ts'
import type { ControlPlane } from './ControlPlane.ts'

/** The current passwords of the accounts. */
export interface Passwords {
  logins: () => readonly string[]
  of: (login: string) => string | undefined
  /** Call after anything that may have changed passwords, of one account or of all */
  learn: (login?: string) => Promise<void>
  /** Call with a new password; undefined if the account was deleted */
  set: (login: string, password: string | undefined) => void
  /** What else to say if an account isn't among them, after a space */
  hint: string
}

export function remotePasswords(plane: ControlPlane): Passwords {
  const known = new Map<string, string | undefined>()
  return {
    hint: ' Those that others created or changed are known after world({ account }).',
    logins: () => [...known.keys()],
    of: (login) => known.get(login),
    async learn(login) {
      if (login !== undefined) {
        known.set(login, (await plane.json<WorldView>('GET', accountPath(login))).password)
        return
      }
      const { accounts } = await plane.json<ScenarioDocument>('GET', '/scenario')
      known.clear()
      for (const [name, { password }] of Object.entries(accounts)) known.set(name, password)
    },
    set: (login, password) =>
      void (password === undefined ? known.delete(login) : known.set(login, password)),
  }
}

/** The path of an account under `/__admin` */
export function accountPath(login: string): string {
  return `/accounts/${encodeURIComponent(login)}`
}
