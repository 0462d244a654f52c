/** A block of code in a Markdown page. */
export interface CodeBlock {
  language: string
  text: string
  line: number
  /** The name in its first line, if that is a comment with nothing else: it is saved under that name. */
  file?: string
  /** `<!-- not run: WHY -->` before it */
  notRun?: string
  /** `<!-- exits with N -->` before it; 0 without */
  exitCode: number
  /** What the page shows as its answer: the block right after it, if that is no code */
  shown?: CodeBlock
}

/** The fenced blocks of a page, in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const found = [...markdown.matchAll(/^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm)].map(
    ({ index, 0: whole, groups = {} }) => {
      const { language = '', text = '' } = groups
      const file = /^(?:\/\/|#) (?<name>[\w.-]+\.\w+)\n/.exec(text)?.groups?.['name']
      const mark = /<!-- (?<mark>[^\n]*?) -->\n*$/.exec(markdown.slice(0, index))?.groups?.['mark'] ?? ''
      const notRun = /^not run: (?<why>.*)$/.exec(mark)?.groups?.['why']
      const block: CodeBlock = {
        language,
        text,
        line: markdown.slice(0, index).split('\n').length,
        exitCode: Number(/^exits with (?<code>\d+)$/.exec(mark)?.groups?.['code'] ?? 0),
        ...(file !== undefined && { file }),
        ...(notRun !== undefined && { notRun }),
      }
      return { block, from: index, to: index + whole.length }
    },
  )
  return found.map(({ block, to }, i) => {
    const next = found[i + 1]
    const isAnswer = next && ['json', 'http', 'text'].includes(next.block.language)
    if (isAnswer && markdown.slice(to, next.from).trim() === '') block.shown = next.block
    return block
  })
}
