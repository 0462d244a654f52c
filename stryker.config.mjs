// `npm run test:mutation` alters the code of these folders, one expression at a time, and runs the tests that reach it:
// what no test notices is in .cache/mutation.html. It takes hours, so it is not part of `test:all`; what hasn't changed
// since the last run isn't run again. One folder alone: `npm run test:mutation -- --mutate 'src/faults/**/*.ts'`
export default {
  testRunner: 'vitest',
  mutate: ['src/{service,world,faults,scenario,store,journal}/**/*.ts', '!**/*.gen.ts'],
  testFiles: [
    'test/{rules,wire,library}/!(capabilities|operationIds).test.ts',
    // Of the store
    'test/storage/*/*.test.ts',
    'test/cli/{serve,usage}.test.ts',
    'test/slow/lock.test.ts',
    'test/alone/redis/replicas.test.ts',
  ],
  vitest: { related: false },
  coverageAnalysis: 'perTest',
  // What runs while a module loads can't be altered for one test alone.
  ignoreStatic: true,
  disableTypeChecks: false,
  concurrency: 1,
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: '.cache/mutation.json',
  tempDirName: '.cache/mutation',
  htmlReporter: { fileName: '.cache/mutation.html' },
  reporters: ['clear-text', 'html', 'progress'],
  clearTextReporter: { reportTests: false, allowColor: false },
  ignorePatterns: ['/coverage', '/data', '/.cache'],
}
