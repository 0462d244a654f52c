import { nearest } from '../world/nearest.ts'

/** Says that there is nothing of that name, what was probably meant, and what there is. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  const meant = near === undefined ? '' : `, did you mean ${JSON.stringify(near)}?`
  return `there is no ${kind} ${JSON.stringify(name)}${meant} (allowed: ${known.join(', ') || 'none'})`
}
