// Under tsx, `import()` of a CommonJS module lacks the interop wrapper that bundled code has. So this module imports
// the library statically, and is itself imported with `import()`.
export { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js'
export { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js'
export {
  ajvErrorsToValidatorError,
  augmentAjvErrors,
} from 'express-openapi-validator/dist/middlewares/util.js'
