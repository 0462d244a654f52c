// Loaded through onDemand.ts.
export { acceptEdits } from './acceptEdits.ts'
export { expandEntry } from './expandShorthand.ts'
export { patchWorld } from './patchWorld.ts'
export * from './readScenario.ts'
export { entrySchema, faultSchema, loginSchema } from './schema.ts'
export { schemaIssues } from './schemaIssues.ts'
