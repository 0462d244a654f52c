import type { Finding } from '../findings/findings.ts'
import type { Mark, Section } from '../report/Report.ts'

const marks: Record<Finding['severity'], Mark> = { high: 'bad', medium: 'note', low: 'none' }

/** Lists the client's mistakes, each with its requests, a sentence and advice. */
export function findingsSection(findings: readonly Finding[]): Section {
  const list = findings.map(({ finding, severity, label, message, advice, requests }) => ({
    text: `${severity}: ${finding}, ${formatIds(requests)}${label === undefined ? '' : ` (${label})`}\n    ${message}\n    ${advice}`,
    mark: marks[severity],
  }))
  return { heading: 'Findings', list }
}

/** Returns `#3, #7 and 2 more`. */
export function formatIds(requests: Finding['requests']): string {
  const ids = requests.slice(0, 10).map(({ id }) => `#${id}`)
  return `${ids.join(', ')}${requests.length > ids.length ? ` and ${requests.length - ids.length} more` : ''}`
}
