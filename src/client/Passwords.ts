/** What the logins' passwords are at present. */
export interface Passwords {
  logins: () => string[]
  of: (login: string) => string | undefined
  /** Called after everything that may have changed one */
  learn: () => Promise<void>
}

/** For who needs none */
export const noPasswords: Passwords = { logins: () => [], of: () => undefined, learn: async () => {} }
