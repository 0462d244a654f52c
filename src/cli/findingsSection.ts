import type { Finding } from '../findings/findings.ts'
import type { Mark, Section } from '../report/Report.ts'

const marks: Record<Finding['severity'], Mark> = { high: 'bad', medium: 'note', low: 'none' }

/** Renders the client's mistakes, with the ids of their requests. */
export function findingsSection(findings: readonly Finding[]): Section {
  const heading = 'Findings'
  if (findings.length === 0) return { heading, lines: ['None.'] }
  return {
    heading,
    head: ['Severity', 'Finding', 'Operation', 'What happened', 'Requests'],
    rows: findings.map(({ finding, severity, operation, message, advice, requests }) => [
      { text: severity, mark: marks[severity] },
      finding,
      operation ?? '',
      `${message} ${advice}`,
      formatIds(requests),
    ]),
  }
}

/** Returns `#3, #7 and 2 more`. */
export function formatIds(requests: Finding['requests']): string {
  const ids = requests.slice(0, 10).map(({ id }) => `#${id}`)
  return `${ids.join(', ')}${requests.length > ids.length ? ` and ${requests.length - ids.length} more` : ''}`
}
