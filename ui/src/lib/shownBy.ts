import { decodeSegment } from '../../../src/contract/decodeSegment.ts'
import { exampleCall, type ExampleCall } from './exampleCall.ts'
import type { CoverageReport, ScenarioInfo } from './types.ts'

/** What a scenario says that one can send, and what it answers. */
export interface Showing extends ExampleCall {
  scenario: string
}

/** Reads the request out of a scenario's description; undefined where it names none. */
export function readShowing({ name, description }: ScenarioInfo): Showing | undefined {
  const call = exampleCall(description)
  return call && { scenario: name, ...call }
}

type Operation = CoverageReport['operations'][number]

/** Values of the path's parameters where it is a path of the operation. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name) values[name] = decodeSegment(given[i] as string)
    else if (part !== given[i]) return undefined
  }
  return values
}

/** The operation that a showing is of. */
export function operationOf(showing: Showing, operations: readonly Operation[]): Operation | undefined {
  return operations.find(({ method, path }) => method === showing.method && matchPath(path, showing.path))
}

/** What Try is to begin with to send the request of a showing, which is of that operation. */
export function requestOf({ path }: Operation, showing: Showing): Record<string, string> {
  const { body, credentials } = showing
  return {
    ...matchPath(path, showing.path),
    ...(body !== undefined && { body }),
    ...(credentials && { user: `${credentials.login}:${credentials.password}` }),
  }
}

/** The scenario that shows a case: of this operation where there is one, else of another. */
export function showingOf(
  operation: Operation,
  caseName: string | null,
  showings: readonly Showing[],
): { showing: Showing; isExact: boolean } | undefined {
  if (caseName === null) return undefined
  const of = showings.filter((one) => one.case === caseName)
  const exact = of.find((one) => one.method === operation.method && matchPath(operation.path, one.path))
  const showing = exact ?? of[0]
  return showing && { showing, isExact: exact !== undefined }
}
