// `npm run test:mutation` changes the code of these folders, one expression at a time, and runs the tests that reach it.
// .cache/mutation.html lists the changes that no test noticed. A run takes hours, so it isn't part of `test:all`; later runs
// skip code that hasn't changed. For one folder: `npm run test:mutation -- --mutate 'src/faults/**/*.ts'`
export default {
  testRunner: 'vitest',
  mutate: ['src/{service,world,faults,scenario,store,journal}/**/*.ts', '!**/*.gen.ts'],
  testFiles: [
    'test/{rules,wire,library}/!(capabilities|operationIds).test.ts',
    // The stores
    'test/storage/*/*.test.ts',
    'test/cli/{serve,usage}.test.ts',
    'test/slow/lock.test.ts',
    'test/alone/redis/replicas.test.ts',
  ],
  vitest: { related: false },
  coverageAnalysis: 'perTest',
  // Code that runs while a module loads can't be changed for a single test.
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
