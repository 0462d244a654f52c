import type { Finding } from '../findings/findings.ts'
import type { Mark, Section } from '../report/Report.ts'

const marks: Record<Finding['severity'], Mark> = { high: 'bad', medium: 'note', low: 'none' }

/** Lists the client's mistakes, each with its requests, a sentence and advice. */
export function findingsSection(findings: readonly Finding[]): Section {
  const hasSeveral = new Set(findings.map(({ account }) => account)).size > 1
  const list = findings.map(({ finding, severity, account, label, message, advice, requests }) => {
    const client = label ?? (hasSeveral ? account : null)
    return {
      text: `${severity}: ${finding}, ${formatIds(requests)}${client === null ? '' : ` (${client})`}\n    ${message}\n    ${advice}`,
      mark: marks[severity],
    }
  })
  return { heading: 'Findings', list }
}

/** Returns `#3, #7 and 2 more`. */
export function formatIds(requests: Finding['requests']): string {
  const ids = requests.slice(0, 10).map(({ id }) => `#${id}`)
  return `${ids.join(', ')}${requests.length > ids.length ? ` and ${requests.length - ids.length} more` : ''}`
}
