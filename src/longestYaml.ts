/** Maximum bytes of a YAML scenario: parsing it takes much longer than JSON, and much memory. */
export const longestYaml = 1024 * 1024
