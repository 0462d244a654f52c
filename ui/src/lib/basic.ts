/** The Authorization header of HTTP Basic, for any `login:password`. */
export function basic(user: string): string {
  const bytes = new TextEncoder().encode(user)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
