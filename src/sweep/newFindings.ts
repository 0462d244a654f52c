import type { Finding } from '../admin/shapes.ts'
import { findingRules } from '../findings/findings.ts'

/**
 * The findings that the run without faults doesn't have. Ids and times differ per run, so findings are counted by name and
 * operation.
 * @param ordersMore whether the run placed more equal orders than the one without faults
 */
export function newFindings(
  found: readonly Finding[],
  known: readonly Finding[],
  ordersMore: boolean,
): Finding[] {
  const left = new Map<string, number>()
  for (const finding of known) left.set(keyOf(finding), (left.get(keyOf(finding)) ?? 0) + 1)
  return found.filter((finding) => {
    const { isEverywhere, isAnOrderTooMany } = findingRules[finding.finding]
    const key = keyOf(finding)
    const count = left.get(key) ?? 0
    if (isEverywhere) return count === 0
    left.set(key, count - 1)
    return count <= 0 && (ordersMore || !isAnOrderTooMany)
  })
}

function keyOf({ finding, operation }: Finding): string {
  return findingRules[finding].isEverywhere ? finding : `${finding} ${operation ?? ''}`
}
