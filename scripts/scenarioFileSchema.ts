import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { kinds, getNoun } from '../src/service/records.ts'
import { casesByOperation } from '../src/contract/cases.gen.ts'
import { isObject } from '../src/world/mergePatch.ts'
import { caseSchema, faultSchema, referencesSchema, scenarioSchema } from '../src/scenario/schema.ts'

type JsonSchema = Record<string, unknown>

/**
 * Returns the JSON Schema (draft 2020-12) of a scenario file, for editors. A file is a merge patch on the scenario that it
 * extends: only the description is required, and null removes a value. A patch replaces whole lists, so their items must be
 * complete.
 */
export function createScenarioFileSchema(): JsonSchema {
  const scenario = toJsonSchema(scenarioSchema)
  describeRecords(scenario)
  const references = toJsonSchema(referencesSchema)
  const patch = toPatchSchema({
    ...scenario,
    properties: {
      $schema: { type: 'string', description: 'The JSON Schema of this file, for editors.' },
      $comment: {
        type: 'string',
        description: 'A comment. Files that proxysim wrote have their digest here.',
      },
      ...getProperties(references),
      ...getProperties(scenario),
    },
  })
  const { description } = getProperties(scenario)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Scenario of the proxy reselling simulator',
    ...patch,
    properties: { ...getProperties(patch), description },
    required: ['description'],
  }
}

/** Adds the contract's descriptions to the fields of records. */
function describeRecords(scenario: JsonSchema): void {
  const { components } = parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, { description?: string; properties?: Record<string, JsonSchema> }> }
  }
  const { schemas } = components
  const account = getProperties(getElements(getProperties(scenario)['accounts']))
  for (const kind of kinds) {
    const isShown = new RegExp(`^${getNoun(kind)}(Summary|Detail)?$`, 'i')
    const shown = Object.keys(schemas).filter((schema) => isShown.test(schema))
    const fields = Object.assign({}, ...shown.map((schema) => schemas[schema]?.properties)) as Record<
      string,
      JsonSchema
    >
    for (const [name, field] of Object.entries(getProperties(getElements(account[kind])))) {
      const [, schemaName = ''] = /([^/]+)$/.exec(String(fields[name]?.['$ref'])) ?? []
      const description = fields[name]?.['description'] ?? schemas[schemaName]?.description
      if (description !== undefined) Object.assign(field as JsonSchema, { description })
    }
  }
}

/** Returns the schema of a map's values. */
function getElements(map: unknown): JsonSchema {
  return (map as { additionalProperties: JsonSchema }).additionalProperties
}

const operationIds = Object.keys(casesByOperation)
const caseNames = [...new Set(Object.values(casesByOperation).flat())]

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === faultSchema.shape.operation) jsonSchema.enum = ['*', ...operationIds]
      if (zodSchema === caseSchema) jsonSchema.enum = caseNames
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern // it repeats the format
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum // any seed is allowed
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return rest
}

/** Returns the schema of merge patches on values that match a schema. */
function toPatchSchema(schema: JsonSchema): JsonSchema {
  if (schema['type'] !== 'object') return schema
  const { required: _required, properties, additionalProperties, ...rest } = schema
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, allowNull(field as JsonSchema)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isObject(additionalProperties)
        ? allowNull(additionalProperties)
        : additionalProperties,
    }),
  }
}

/** Allows null, which removes a value. The description stays outside, where editors look for it. */
function allowNull(schema: JsonSchema): JsonSchema {
  const { description, ...value } = toPatchSchema(schema)
  return { ...(description !== undefined && { description }), anyOf: [value, { type: 'null' }] }
}

function getProperties(schema: JsonSchema): Record<string, unknown> {
  return isObject(schema['properties']) ? schema['properties'] : {}
}
