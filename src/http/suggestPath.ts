import type { Contract } from '../contract/Contract.ts'
import { nearest } from '../lib/nearest.ts'

/**
 * Suggests a path of the API for one that doesn't exist, because of `/api`, slashes, letter case, a typo or a missing word:
 * `/services`, `/api/Services/` and `/api/servces` → ` Did you mean /api/services?` Empty if none fits.
 */
export function suggestPath(contract: Contract, method: string, path: string): string {
  const trimmed = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '')
  const intended = `/api${trimmed.replace(/^(?:\/api(?=\/|$))+/i, '')}`
  const match = [intended, intended.toLowerCase(), ...similarPaths(contract, intended)].find((one) => {
    const found = contract.match(method, one)
    return found && 'operation' in found
  })
  return match === undefined || match === path ? '' : ` Did you mean ${match}?`
}

/** Paths that end in similar words: `/api/services/5001` → `/api/service/5001`, `/api/credit` → `/api/billing/credit`. */
function similarPaths({ operations }: Contract, path: string): string[] {
  if (operations.some((operation) => operation.path.startsWith(`${path}/`))) return [] // a parameter is missing
  const given = path.split('/').slice(2)
  const isParameter = (word: string): boolean => word.startsWith('{')
  return operations.flatMap((operation) => {
    const words = operation.path.split('/')
    const end = words.splice(-given.length)
    const isSimilar =
      words.length > 1 &&
      !words.some(isParameter) &&
      !end.every(isParameter) &&
      end.every((word, i) => isParameter(word) || nearest(given[i] ?? '', [word]) !== undefined)
    return isSimilar
      ? [[...words, ...end.map((word, i) => (isParameter(word) ? given[i] : word))].join('/')]
      : []
  })
}
