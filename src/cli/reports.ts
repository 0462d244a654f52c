import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { coverageJunit } from '../journal/coverageJunit.ts'
import { coverageMarkdown } from '../journal/coverageMarkdown.ts'
import { har, harEntry } from '../journal/har.ts'
import { UserError } from '../UserError.ts'
import { version } from '../version.ts'
import type { Observer } from './Observer.ts'
import { writing } from './writing.ts'

const renderers: Record<string, (seen: Observer) => string> = {
  '.md': ({ coverage, findings }) => `${coverageMarkdown(coverage)}\n${findingsMarkdown(findings)}`,
  '.json': ({ coverage, findings, requests }) => json({ ...coverage, requests, findings }),
  '.xml': ({ coverage }) => coverageJunit(coverage),
  '.har': ({ entries }) => json(har(entries.map(harEntry), version)),
}

/** @throws UserError where a report has no extension of ours */
export function checkReports(files: readonly string[]): void {
  for (const file of files)
    if (!Object.hasOwn(renderers, extname(file)))
      throw new UserError(
        `The report ${file} must end in one of: ${Object.keys(renderers).join(', ')} (.xml is JUnit).`,
      )
}

/** @throws UserError where a report can't be written */
export async function writeReports(files: readonly string[], seen: Observer): Promise<void> {
  for (const file of files) {
    const text = renderers[extname(file)]?.(seen) ?? ''
    await writing(file, () => writeFile(file, text))
  }
}

function findingsMarkdown(findings: Observer['findings']): string {
  const lines = findings.map(
    ({ finding, operation, message, requests }) =>
      `- **${finding}** ${operation ?? ''}: ${message} (${requests.map(({ id }) => `#${id}`).join(', ')})`,
  )
  return ['# Findings', '', ...(lines.length ? lines : ['None.']), ''].join('\n')
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
