import { UserError } from './UserError.ts'

/** @throws UserError if no header can contain the token */
export function checkAdminToken(token: string): void {
  if (!/^[\u0021-\u007e]+$/.test(token))
    throw new UserError(
      'The admin token must be one or more printable ASCII characters without spaces (--admin-token).',
    )
}
