/** A scenario as YAML, which `SourceText` reads as it was. */
export async function yamlOf(scenario: object): Promise<string> {
  const { CORE_SCHEMA, dump } = await import('js-yaml') // lazily, as few ask for it
  return dump(scenario, { schema: CORE_SCHEMA, noRefs: true, lineWidth: -1, skipInvalid: true })
}
