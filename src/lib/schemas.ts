/** A JSON schema */
type Schema = Record<string, unknown>

const partsBySchema = new WeakMap<Schema, readonly Schema[]>()

/** A schema and all schemas that it is composed of, because a keyword may be in only one of them. */
export function composedSchemas(schema: Schema): readonly Schema[] {
  let parts = partsBySchema.get(schema)
  if (!parts) {
    const composed = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => schema[key] ?? [])
    partsBySchema.set(schema, (parts = [schema, ...composed.filter(isSchema).flatMap(composedSchemas)]))
  }
  return parts
}

export function flattenSchemas(schemas: readonly Schema[]): readonly Schema[] {
  const [first] = schemas
  return schemas.length === 1 && first ? composedSchemas(first) : schemas.flatMap(composedSchemas)
}

/** The schemas of a field, or of the items of a list; empty if there are none. */
export function schemasAt(schemas: readonly Schema[], key: string | number): Schema[] {
  return flattenSchemas(schemas).flatMap(({ properties = {}, items }) => {
    const below = (typeof key === 'number' ? { [key]: items } : properties) as Schema
    const found = Object.hasOwn(below, key) ? below[key] : undefined
    return isSchema(found) ? [found] : []
  })
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}
