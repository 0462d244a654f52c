// Generated from admin.openapi.yaml by `npx tsx scripts/generate.ts`. Do not edit.

/**
 * The shape of a response: a type, an array's items, or an object's required fields. "any" is any value, including null;
 * "none" is an empty body.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'any'
  | 'none'
  | readonly [Shape]
  | { readonly [field: string]: Shape }

/** The shape of each successful JSON response */
export const responseShapes: Record<string, Shape> = {
  'GET /health': {"status":"string","version":"string","scenario":"string"},
  'GET /openapi.json': "object",
  'GET /assumptions': [{"id":"string","gap":"string","question":"string","operations":["string"],"document":"string","default":"any","alternatives":["any"],"meaning":"object","confirmed":"boolean","used":"boolean"}],
  'GET /scenarios': [{"name":"string","description":"string"}],
  'POST /scenarios/{name}/load': {"scenario":"string","accounts":["string"]},
  'GET /scenario': {"description":"string","accounts":"object"},
  'PUT /scenario': {"scenario":"string","accounts":["string"]},
  'POST /reset': {"scenario":"string","accounts":["string"]},
  'GET /accounts': [{"login":"string","created":"boolean","credit":"number","sessions":"number","faults":"number","clock":{"now":"string","frozen":"boolean","rate":"number"},"clients":"number","products":"number","services":"number","invoices":"number"}],
  'POST /accounts': {"login":"string","password":"string","token":"string","authorization":"string"},
  'GET /accounts/{login}': {"password":"string"},
  'DELETE /accounts/{login}': "none",
  'PATCH /accounts/{login}': {"password":"string"},
  'POST /accounts/{login}/tokens': {"token":"string"},
  'GET /clock': {"now":"string","frozen":"boolean","rate":"number"},
  'PUT /clock': {"now":"string","frozen":"boolean","rate":"number"},
  'POST /clock/advance': {"now":"string","frozen":"boolean","rate":"number"},
  'GET /timeline': {"timeline":[{"id":"number","at":"string"}],"skipped":[{"id":"number","at":"string","reason":"string"}]},
  'POST /timeline': {"id":"number","at":"string"},
  'DELETE /timeline': "none",
  'DELETE /timeline/{id}': "none",
  'GET /faults': [{"id":"number","operation":"string","phase":"string","seen":"number","used":"number","exhausted":"boolean"}],
  'POST /faults': {"id":"number","operation":"string","phase":"string","seen":"number","used":"number","exhausted":"boolean"},
  'DELETE /faults': "none",
  'DELETE /faults/{id}': "none",
  'GET /requests': {"total":"number","requests":[{"id":"number","time":"string","account":"any","version":"any","operation":"any","method":"string","path":"string","status":"any","case":"any","reason":"any","forced":"boolean","durationMs":"number","request":{"headers":"object","body":"any"},"response":{"headers":"object","body":"any"},"change":"any","before":"any","violations":["string"]}],"dropped":"number","refused":{"count":"number","last":[{"time":"string","method":"any","path":"any","host":"any","status":"any","reason":"string"}]}},
  'DELETE /requests': "none",
  'POST /requests/{id}/rewind': {"account":"string","version":"number"},
  'GET /requests/{id}/repro': {"scenario":{"description":"string","accounts":"object"},"curl":"string"},
  'POST /requests/wait': {"total":"number","requests":[{"id":"number","time":"string","account":"any","version":"any","operation":"any","method":"string","path":"string","status":"any","case":"any","reason":"any","forced":"boolean","durationMs":"number","request":{"headers":"object","body":"any"},"response":{"headers":"object","body":"any"},"change":"any","before":"any","violations":["string"]}]},
  'GET /requests.har': {"log":"object"},
  'GET /coverage': {"covered":"number","total":"number","percent":"number","authentication":[{"status":"number","case":"any","hits":"number"}],"operations":[{"operation":"string","method":"string","path":"string","responses":[{"status":"number","case":"any","hits":"number"}]}]},
  'GET /findings': [{"finding":"string","severity":"string","account":"any","operation":"any","message":"string","advice":"string","requests":[{"id":"number","time":"string","method":"string","path":"string","status":"any"}]}],
  'GET /snapshots': [{"id":"string","time":"string","scenario":"string"}],
  'POST /snapshots': {"id":"string","time":"string","scenario":"string"},
  'POST /snapshots/{id}/restore': {"id":"string","scenario":"string"},
}
