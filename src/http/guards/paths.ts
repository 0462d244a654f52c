/** Whether a path belongs to the simulated API; case-insensitive, like Express. */
export function isApi(path: string): boolean {
  return /^\/api(?:\/|$)/i.test(path)
}

/** Whether a path belongs to the control plane; case-insensitive, like Express. */
export function isAdmin(path: string): boolean {
  return /^\/__admin(?:\/|$)/i.test(path)
}
