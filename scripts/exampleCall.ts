/** The call in a scenario's description, and its outcome. */
export interface ExampleCall {
  method: string
  path: string
  /** JSON text */
  body?: string
  /** Credentials, if the call doesn't use those of the first account */
  credentials?: { login: string; password: string }
  /** The contract's case; absent if the scenario shows no error */
  case?: string
  /** Status of the response, if there is no case */
  status?: number
}

const pattern =
  /: (?<method>GET|POST|PUT) (?<path>\/api\/\S+?)(?: (?<body>\{.*\}))?(?: as (?<login>[^\s:]+):(?<password>\S+))? (?:is refused with (?<case>[a-z0-9-]+)|returns (?<status>\d{3}))/

/**
 * Parses the call in a description: `….: POST /api/product/101 {"clientid": 11} is refused with insufficient-funds.` Tests
 * send the call, and pages list the scenario that shows each case.
 */
export function parseExampleCall(description: string): ExampleCall | undefined {
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
