import { UserError } from '../UserError.ts'

/** One mistake, with its place where it is known. */
export interface ScenarioProblem {
  file: string
  line?: number
  column?: number
  /** Where in the document: `accounts.reseller.credit` */
  path: string
  message: string
}

/** A scenario that is refused whole. Its message is the list of mistakes, one a line. */
export class ScenarioError extends UserError {
  readonly problems: readonly ScenarioProblem[]

  constructor(problems: readonly ScenarioProblem[]) {
    super(problems.map(describeProblem).join('\n'))
    this.problems = problems
  }
}

/** `file:line:column: path: message`, as editors and terminals understand it. */
export function describeProblem({ file, line, column, path, message }: ScenarioProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return `${place}: ${path ? `${path}: ` : ''}${message}`
}
