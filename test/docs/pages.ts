import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { read, root } from '../support/project.ts'
import { codeBlocks, type CodeBlock } from './codeBlocks.ts'

/** The pages of the guide. */
export const docs = readdirSync(join(root, 'docs')).flatMap((file) =>
  file.endsWith('.md') ? `docs/${file}` : [],
)

/** Pages whose blocks are run by a test of their own */
export const elsewhere: Record<string, string> = {
  'docs/agents.md': 'test/languages/pages.test.ts',
  'docs/clients.md': 'test/languages/generatedClients.test.ts',
  'docs/go.md': 'test/languages/examples.test.ts',
  'docs/php.md': 'test/languages/examples.test.ts',
  'docs/python.md': 'test/languages/examples.test.ts',
  'docs/shell.md': 'test/languages/examples.test.ts',
}

const blocks = new Map<string, CodeBlock[]>()

export function blocksOf(page: string): readonly CodeBlock[] {
  const known = blocks.get(page) ?? codeBlocks(read(page))
  blocks.set(page, known)
  return known
}

/** The blocks in a language that readers run. */
export function toBeRun(page: string, language: string): CodeBlock[] {
  if (page in elsewhere) return []
  return blocksOf(page).filter((block) => block.language === language && block.notRun === undefined)
}
