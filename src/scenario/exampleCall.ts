/** The plain call that a scenario's description names, and what it shows. */
export interface ExampleCall {
  method: string
  path: string
  /** JSON text */
  body?: string
  /** Whose credentials it sends, where they are not those of the first account */
  credentials?: { login: string; password: string }
  /** The case of the contract that it is refused with; absent where the scenario shows no error. */
  case?: string
  /** Status of its answer, where no case says it */
  status?: number
}

const pattern =
  /: (?<method>GET|POST|PUT) (?<path>\/api\/\S+?)(?: (?<body>\{.*\}))?(?: as (?<login>[^\s:]+):(?<password>\S+))? (?:is refused with (?<case>[a-z0-9-]+)|answers (?<status>\d{3}))/

/**
 * Reads the call out of a description: `….: POST /api/product/101 {"clientid": 11} is refused with insufficient-funds.`
 * So what a scenario says of itself can be tried, and which scenario shows which case needs no second list.
 */
export function exampleCall(description: string): ExampleCall | undefined {
  const groups = pattern.exec(description)?.groups
  if (!groups) return undefined
  const { method = '', path = '', body, login, password, case: name, status } = groups
  return {
    method,
    path,
    ...(body !== undefined && { body }),
    ...(login !== undefined && password !== undefined && { credentials: { login, password } }),
    ...(name !== undefined && { case: name }),
    ...(status !== undefined && { status: Number(status) }),
  }
}
