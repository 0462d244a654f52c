import { URLSearchParams } from 'node:url'
import { asArray, asObject, type Schema } from '../Contract.ts'

const places = ['path', 'query'] as const

/** The values of the parameters, by place and name. A repeated query parameter is a list, which violates its schema. */
export interface RequestParts {
  path: Record<string, string>
  query: URLSearchParams | undefined
}

/** The schema of an operation's parameters, by place. All parameters of our contracts are strings. */
export function parametersSchema(operation: Schema): Schema {
  const parameters = asArray(operation['parameters']).map(asObject)
  const toSchema = (group: readonly Schema[]): Schema => ({
    type: 'object',
    properties: Object.fromEntries(group.map(({ name, schema }) => [String(name), schema])),
    required: group.filter(({ required }) => required === true).map(({ name }) => name),
  })
  const byPlace = places.map((place) => [place, toSchema(parameters.filter((one) => one['in'] === place))])
  return { properties: Object.fromEntries(byPlace) as unknown }
}

export function readValues({ path, query }: RequestParts): Record<(typeof places)[number], object> {
  const names = query ? [...new Set(query.keys())] : []
  const values = names.map((name) => [name, query?.getAll(name)] as const)
  return {
    path,
    query: Object.fromEntries(values.map(([name, all]) => [name, all?.length === 1 ? all[0] : all])),
  }
}
