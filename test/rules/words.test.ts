import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from '../support/project.ts'

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /(?<!\.gen)\.(?:tsx?|css|md)$/.test(name) && !/^(?:docs\/decisions)\//.test(name))

/** Words of a private vocabulary, and archaic grammar */
const banned = [
  /\b(?:strikes?|struck|told(?! apart)|fate|mishaps?|patience|hurry|afresh|anew|whoever|nobody(?! knows)|needn't)\b/i,
  /\b(?:for good|at hand|as it stands|letter for letter|in the place of|in place of|stands still)\b/i,
  /\b(?:ArmedFault|CustomAnswer|WorldView|WorldControls|JournalPage|RequestList|PROXYSIM_READING)\b/,
  // A comment is a sentence with a subject, or a noun phrase.
  /(?:\/\*\*?|\/\/) (?:What|Of|The same (?:as|but|for|if|in|of|with)|Those|As) /,
]

test('code and documentation are in plain English', () => {
  const found = ['src', 'ui/src', 'docs']
    .flatMap(filesIn)
    .concat('README.md')
    .flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, i) =>
          banned.some((words) => words.test(line)) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
        ),
    )
  expect(found).toEqual([])
})
