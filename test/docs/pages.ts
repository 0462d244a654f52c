import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { read, root } from '../support/project.ts'
import { parseCodeBlocks, type CodeBlock } from './codeBlocks.ts'

/** The pages of the guide. */
export const docs = readdirSync(join(root, 'docs')).flatMap((file) =>
  file.endsWith('.md') ? `docs/${file}` : [],
)

/** Pages whose blocks are run by other tests, and those tests */
export const testsElsewhere: Record<string, string> = {
  'docs/languages.md': 'test/languages/examples.test.ts',
}

const blocks = new Map<string, CodeBlock[]>()

export function getBlocks(page: string): readonly CodeBlock[] {
  const cached = blocks.get(page) ?? parseCodeBlocks(read(page))
  blocks.set(page, cached)
  return cached
}

/** Lists a page's blocks in a language, without those that another test runs or that are marked as not run. */
export function listRunnableBlocks(page: string, language: string): CodeBlock[] {
  if (page in testsElsewhere) return []
  return getBlocks(page).filter((block) => block.language === language && block.notRun === undefined)
}
