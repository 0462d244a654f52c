import { coverageJunit } from '../journal/coverageJunit.ts'
import { coverageMarkdown } from '../journal/coverageMarkdown.ts'
import { har, harEntry } from '../journal/har.ts'
import { version } from '../version.ts'
import type { Observer } from './Observer.ts'
import { json, type Renderers } from './reports.ts'

/** The extensions of the reports that `exec` writes. */
export const execExtensions = ['.md', '.json', '.xml', '.har']

/** The reports of `exec`. */
export function execReports(seen: Observer): Renderers {
  const { coverage, findings, requests } = seen
  return {
    '.md': () => `${coverageMarkdown(coverage)}\n${findingsMarkdown(findings)}`,
    '.json': () => json({ ...coverage, requests, findings }),
    '.xml': () => coverageJunit(coverage),
    '.har': () => json(har(seen.entries.map(harEntry), version)),
  }
}

function findingsMarkdown(findings: Observer['findings']): string {
  const lines = findings.map(
    ({ finding, operation, message, requests }) =>
      `- **${finding}** ${operation ?? ''}: ${message} (${requests.map(({ id }) => `#${id}`).join(', ')})`,
  )
  return ['# Findings', '', ...(lines.length ? lines : ['None.']), ''].join('\n')
}
