// Imported with `import()`, as YAML is rarely needed and slow to load. For why not the package directly, see
// contract/validator/middlewares.ts.
export { parseDocument } from 'yaml'
