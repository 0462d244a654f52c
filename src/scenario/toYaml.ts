/** Renders a scenario as YAML, which `readSource` parses to the same value. */
export async function toYaml(scenario: object): Promise<string> {
  const { CORE_SCHEMA, dump } = await import('js-yaml') // imported lazily, because few clients need it
  return dump(scenario, { schema: CORE_SCHEMA, noRefs: true, lineWidth: -1, skipInvalid: true })
}
