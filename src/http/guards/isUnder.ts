/** Whether a path belongs to the simulated API. Letter case as Express routes it: not looked at. */
export function isApi(path: string): boolean {
  return /^\/api(?:\/|$)/i.test(path)
}

/** Whether a path belongs to the control plane. Letter case as Express routes it: not looked at. */
export function isAdmin(path: string): boolean {
  return /^\/__admin(?:\/|$)/i.test(path)
}
