import { didYouMean } from '../world/nearest.ts'

/** The message for an unknown name, with a suggestion and the valid ones. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  return `there is no ${kind} ${JSON.stringify(name)}${didYouMean(name, known)} (allowed: ${known.join(', ') || 'none'})`
}
