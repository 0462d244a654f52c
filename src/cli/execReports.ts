import { coverageJunit, coverageMarkdown } from '../journal/coverageReports.ts'
import { har, harEntries } from '../journal/har.ts'
import type { Observer } from './Observer.ts'
import { idsOf } from './verdict.ts'
import { json, type Renderers } from './reports.ts'

export const execExtensions = ['.md', '.json', '.xml', '.har']

/** @param repros files with scenarios of the refusals */
export function execReports(seen: Observer, repros: readonly string[]): Renderers {
  const { coverage, findings, requests } = seen
  return {
    '.md': () => `${coverageMarkdown(coverage)}\n${findingsMarkdown(findings)}${reprosMarkdown(repros)}`,
    '.json': () => json({ ...coverage, requests, findings, repros }),
    '.xml': () => coverageJunit(coverage),
    '.har': () => json(har([...harEntries(seen.entries)])),
  }
}

function reprosMarkdown(files: readonly string[]): string {
  if (files.length === 0) return ''
  return ['', '# Scenarios of the refused requests', '', ...files.map((file) => `- \`${file}\``), ''].join(
    '\n',
  )
}

function findingsMarkdown(findings: Observer['findings']): string {
  const lines = findings.map(
    ({ finding, severity, operation, message, requests }) =>
      `- **${finding}** (${severity})${operation === null ? '' : ` ${operation}`}: ${message} (${idsOf(requests)})`,
  )
  return ['# Findings', '', ...(lines.length ? lines : ['None.']), ''].join('\n')
}
