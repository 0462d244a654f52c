/** Whether a path, or a URL without a host, belongs to the simulated API; case-insensitive, like Express. */
export function isApi(path: string): boolean {
  return /^\/api(?:[/?]|$)/i.test(path)
}

/** Whether it belongs to the control plane. */
export function isAdmin(path: string): boolean {
  return /^\/__admin(?:[/?]|$)/i.test(path)
}
