export default {
  testRunner: 'vitest', mutate: ['src/operations/**/*.ts', '!**/*.gen.ts'],
  testFiles: ['test/wire/{edges,updating,ordering,stickySessions,ipLists,records,assumptions,timeline,clock,faults,badInput}.test.ts', 'test/rules/{generation,values,timeline,faults,mergePatch,scenarioIssues}.test.ts'],
  vitest: { related: false }, coverageAnalysis: 'perTest', ignoreStatic: true, disableTypeChecks: false, concurrency: 1, timeoutMS: 20000,
  tempDirName: '.cache/mutation-w', reporters: ['clear-text'], clearTextReporter: { reportTests: false, allowColor: false, allowEmojis: false },
  ignorePatterns: ['/coverage', '/data', '/.cache', '/dist'],
}
