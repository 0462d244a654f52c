import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { getFields, kinds, getNoun } from '../../src/service/records.ts'
import { loadContract } from '../../src/contract/loadContract.ts'

const src = new URL('../../src/', import.meta.url)

/** Words that also have a general meaning: the client of the simulator, the errors of a form, the rate of a clock. */
const general = new Set(
  'amount api client clients description email errors inactive list password price rate stats status usage username'.split(
    ' ',
  ),
)

/** Kinds of records with their fields, and the segments of the contract's paths. */
async function nouns(): Promise<Set<string>> {
  const { operations } = await loadContract()
  const segments = operations.flatMap(({ path }) => path.split('/').filter((part) => /^[a-z]+$/.test(part)))
  const names = kinds.flatMap((kind) => [kind, getNoun(kind), ...getFields(kind).map(([name]) => name)])
  return new Set([...segments, ...names, 'session', 'sessions'].filter((noun) => !general.has(noun)))
}

/** Collects names and single words in code, but not in comments, texts, examples and imports. */
function wordsIn(file: string): string[] {
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) words.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(new URL(file, src), 'utf8'), ts.ScriptTarget.Latest))
  return words
}

const engine = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    file.endsWith('.ts') && !file.endsWith('.gen.ts') && !/^(lab\/calibration\/)?service\//.test(file),
)

test('code outside service/ contains no nouns of the API', async () => {
  const known = await nouns()
  const found = engine.flatMap((file) =>
    [...new Set(wordsIn(file))]
      .filter((word) => splitWord(word).some((part) => known.has(part)))
      .map((word) => `${file}: ${word}`),
  )
  expect(found).toEqual([])
})

/** Splits a name into its words, and returns them with the name. */
function splitWord(word: string): string[] {
  return [word, ...word.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase())]
}
