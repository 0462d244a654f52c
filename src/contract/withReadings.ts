/** What describes all shapes together; everything else belongs to the one that it stands with. */
const common = ['description', 'x-assumed', 'x-undocumented']

/**
 * A contract with the shapes that only readings other than the default give (`x-also`, at a schema, or beside it if that is
 * a reference). People see the contract without them: their typed clients would have to tell apart what the service
 * they test against doesn't return.
 */
export function withReadings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReadings)
  if (typeof value !== 'object' || value === null) return value
  const { 'x-also': also, ...rest } = value as { 'x-also'?: unknown[] } & Record<string, unknown>
  const widened = Object.entries(rest).map(([key, item]) => [key, withReadings(item)] as const)
  if (!Array.isArray(also)) return Object.fromEntries(widened)
  const others = also.map(withReadings)
  if ('schema' in rest)
    return { ...Object.fromEntries(widened), schema: { oneOf: [withReadings(rest['schema']), ...others] } }
  const own = Object.fromEntries(widened.filter(([key]) => !common.includes(key)))
  return { ...Object.fromEntries(widened.filter(([key]) => common.includes(key))), oneOf: [own, ...others] }
}
