// Imported with `import()`, as YAML is seldom read and takes long to load; why not the package itself, see
// contract/validator/middlewares.ts.
export { parseDocument, stringify } from 'yaml'
