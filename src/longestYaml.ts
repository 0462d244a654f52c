/** Bytes of YAML that a simulator loads over HTTP: it takes much longer to parse than JSON. */
export const longestYaml = 1024 * 1024
