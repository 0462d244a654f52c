import { capitalize } from './format.ts'
import type { Finding } from './types.ts'

/** `ordered twice` */
export function getLabel({ finding }: Finding): string {
  return finding.replaceAll('-', ' ')
}

/** `Ordered twice` */
export function getTitle(finding: Finding): string {
  return capitalize(getLabel(finding))
}

const tones = { high: 'tone-bad', medium: 'tone-warn', low: '' } as const

export function getSeverityTone({ severity }: Finding): string {
  return tones[severity]
}

/** The tone of the most severe finding. They are sorted by severity. */
export function getWorstTone([worst]: readonly Finding[]): string {
  return worst ? getSeverityTone(worst) : ''
}

const byRequest = new WeakMap<readonly Finding[], ReadonlyMap<number, Finding[]>>()

/** The findings that a request shows. */
export function findProblems(findings: readonly Finding[], id: number): readonly Finding[] {
  let map = byRequest.get(findings)
  if (!map) {
    const lists = new Map<number, Finding[]>()
    for (const finding of findings)
      for (const request of finding.requests)
        lists.set(request.id, [...(lists.get(request.id) ?? []), finding])
    map = lists
    byRequest.set(findings, map)
  }
  return map.get(id) ?? []
}

/** Whether a request is the wrong call of a finding: its last one. An unknown field is wrong in each request. */
export function isWrongCall({ finding, requests }: Finding, id: number): boolean {
  return requests.at(-1)?.id === id || (finding as string) === 'unknown-field'
}
