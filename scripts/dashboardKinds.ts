import { z } from 'zod'
import { types } from '../src/scenario/schemaTypes.ts'
import { getDescription, kinds, getNoun, getOwners } from '../src/service/records.ts'
import { accountShape } from '../src/service/schema.ts'

interface JsonSchema {
  enum?: string[]
  properties: Record<string, JsonSchema>
  additionalProperties: JsonSchema
}

/** Describes each kind of record for the dashboard. Kinds that operations create come first. */
export function describeKinds(): Record<string, object> {
  const { properties } = z.toJSONSchema(z.object(accountShape(types)), {
    io: 'input',
  }) as unknown as JsonSchema
  const isCounted = (kind: (typeof kinds)[number]) => getDescription(kind).isCounted === true
  const ordered = kinds.toSorted((a, b) => Number(isCounted(b)) - Number(isCounted(a)))
  return Object.fromEntries(
    ordered.map((kind) => {
      const { fields, dashboard } = getDescription(kind)
      const { columns, form, hint } = dashboard
      const options = properties[kind]?.additionalProperties.properties
      return [
        kind,
        {
          noun: getNoun(kind),
          hint,
          owners: Object.fromEntries(getOwners(kind)),
          columns: Object.entries(columns).map(([field, title]) => ({
            field,
            title,
            type: fields[field]?.type,
          })),
          form: form.map((field) => ({
            field,
            only: fields[field]?.productType,
            options: options?.[field]?.enum,
          })),
        },
      ]
    }),
  )
}
