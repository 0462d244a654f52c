import { stringify } from 'yaml'
import { z } from 'zod'
import { faultSchema } from '../src/scenario/schema.ts'
import { kinds } from '../src/service/records.ts'

const [begin, end] = [
  '    # Generated from src/faults/effects/ and src/service/kinds/. Do not edit.\n',
  '    # End of the generated part.\n',
]

/** Returns the control plane's contract with the schemas of fault effects and kinds of records. */
export function insertGeneratedSchemas(text: string): string {
  const start = text.indexOf(begin) + begin.length
  const stop = text.indexOf(end, start)
  if (start < begin.length || stop < 0)
    throw new Error(`admin.openapi.yaml has no lines between ${begin} and ${end}`)
  const { properties, additionalProperties, required } = z.toJSONSchema(faultSchema, {
    target: 'openapi-3.0',
    io: 'input',
  }) as unknown as { properties: Record<string, object>; additionalProperties: boolean; required: string[] }
  const exhausted = { type: 'boolean', description: 'Whether it has triggered for the last time.' }
  const schemas = {
    Records: {
      type: 'object',
      properties: getProperties((kind) => ({
        type: 'object',
        additionalProperties: {},
        description: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} by id.`,
      })),
    },
    RecordCounts: {
      type: 'object',
      required: kinds,
      properties: getProperties((kind) => ({ type: 'integer', description: `Number of ${kind}.` })),
    },
    Fault: { type: 'object', additionalProperties, required, properties },
    ActiveFault: {
      description: 'A fault with its counters.',
      type: 'object',
      required: ['id', 'operation', 'phase', 'seen', 'used', 'exhausted'],
      properties: { ...properties, exhausted },
    },
  }
  const yaml = stringify(schemas, { lineWidth: 0, aliasDuplicateObjects: false })
  return text.slice(0, start) + yaml.replaceAll(/^/gm, '    ').trimEnd() + '\n' + text.slice(stop)
}

function getProperties(schema: (kind: string) => object): Record<string, object> {
  return Object.fromEntries(kinds.map((kind) => [kind, schema(kind)]))
}
