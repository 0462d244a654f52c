import { junit, type JunitSuite } from '../junit.ts'
import type { CoveredResponse, CoverageReport } from '../admin/shapes.ts'

/** Coverage as JUnit XML: a suite per operation, a test per response; what wasn't exercised is skipped. */
export function coverageJunit({ authentication, operations }: CoverageReport): string {
  return junit('contract coverage', [
    ...(authentication.length ? [suite('authentication', 'any operation', authentication)] : []),
    ...operations.map(({ operation, method, path, responses }) =>
      suite(operation, `${method} ${path}`, responses),
    ),
  ])
}

function suite(name: string, call: string, responses: readonly CoveredResponse[]): JunitSuite {
  return {
    name,
    cases: responses.map(({ status, case: caseName, hits }) => ({
      name: `${status} ${caseName ?? 'success'}`,
      ...(hits === 0 && { skipped: `not exercised: ${call}` }),
    })),
  }
}
