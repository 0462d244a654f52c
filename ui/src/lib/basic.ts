/** The Authorization header of HTTP Basic, for any login and password. */
export function basic(login: string, password: string): string {
  const bytes = new TextEncoder().encode(`${login}:${password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
