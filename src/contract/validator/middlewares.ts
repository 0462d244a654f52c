// Under tsx, a CommonJS module that is imported with `import()` comes without its wrapping, and what is built expects
// that. So it is imported here, and this module with `import()`.
export { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js'
export { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js'
export { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js'
