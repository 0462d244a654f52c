import { CORE_SCHEMA, dump } from 'js-yaml'

/** A scenario as YAML, which `SourceText` reads as it was. */
export function yamlOf(scenario: object): string {
  return dump(scenario, { schema: CORE_SCHEMA, noRefs: true, lineWidth: -1, skipInvalid: true })
}
