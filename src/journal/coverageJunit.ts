import { junit } from '../junit.ts'
import type { CoverageReport } from './Coverage.ts'

/** Coverage as JUnit XML: a suite for each operation, a test for each answer; what was not exercised is skipped. */
export function coverageJunit({ operations }: CoverageReport): string {
  return junit(
    'contract coverage',
    operations.map(({ operation, method, path, responses }) => ({
      name: operation,
      cases: responses.map(({ status, case: name, hits }) => ({
        name: `${status} ${name ?? 'success'}`,
        ...(hits === 0 && { skipped: `not exercised: ${method} ${path}` }),
      })),
    })),
  )
}
