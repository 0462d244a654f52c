import { type Finding, findingRules } from '../simulator.ts'

/** Returns the findings beyond the known ones of the same kind. Findings about known paths count as known first. */
export function newFindings(findings: readonly Finding[], known: readonly Finding[]): Finding[] {
  const paths = new Set(known.flatMap(({ requests }) => requests.map(({ path }) => path)))
  const isElsewhere = ({ requests }: Finding): boolean => requests.some(({ path }) => !paths.has(path))
  const left = [...known]
  const isNew = ({ finding, operation }: Finding): boolean => {
    const { isPerClient } = findingRules[finding]
    const at = left.findIndex(
      (one) => one.finding === finding && (isPerClient || one.operation === operation),
    )
    if (at >= 0 && !isPerClient) left.splice(at, 1)
    return at < 0
  }
  const found = findings.toSorted((a, b) => Number(isElsewhere(a)) - Number(isElsewhere(b))).filter(isNew)
  return findings.filter((one) => found.includes(one))
}
