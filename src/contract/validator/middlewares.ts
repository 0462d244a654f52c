// Under tsx, a CommonJS module imported with `import()` lacks the interop wrapper that bundled code has. So these are
// imported statically, and this module with `import()`.
export { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js'
export { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js'
export { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js'
