import type { Contract } from '../contract/Contract.ts'

/**
 * Suggests a path of the API for one that doesn't exist, because of `/api`, slashes or letter case:
 * `/services` and `/api/Services/` → ` Did you mean /api/services?` Empty if none fits.
 */
export function suggestPath(contract: Contract, method: string, path: string): string {
  const trimmed = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '')
  const intended = `/api${trimmed.replace(/^(?:\/api(?=\/|$))+/i, '')}`
  const match = [intended, intended.toLowerCase()].find((one) => {
    const found = contract.match(method, one)
    return found && 'operation' in found
  })
  return match === undefined || match === path ? '' : ` Did you mean ${match}?`
}
