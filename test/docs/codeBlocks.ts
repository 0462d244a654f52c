/** A block of code in a Markdown page. */
export interface CodeBlock {
  language: string
  text: string
  line: number
  /** The name in its first line, if that is a comment with nothing else: it is saved under that name. */
  file: string | undefined
  /** `<!-- not run: WHY -->` before it */
  notRun: string | undefined
  /** `<!-- exits with N -->` before it; 0 without */
  exitCode: number
  /** The answer that the page shows: the next block, if it isn't code */
  shown?: CodeBlock
}

const fenced =
  /(?:<!-- (?:not run: (?<notRun>.*)|exits with (?<exitCode>\d+)) -->\n+)?^```(?<language>\w*)\n(?<text>(?:(?:\/\/|#) (?<file>[\w.-]+\.\w+)\n)?[\s\S]*?)^```$/gm

/** The fenced blocks of a page, in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  let last: { block: CodeBlock; end: number } | undefined
  return [...markdown.matchAll(fenced)].map(({ index, 0: whole, groups = {} }) => {
    const { language = '', text = '', file, notRun, exitCode = 0 } = groups
    const line = markdown.slice(0, index + whole.indexOf('```')).split('\n').length
    const block: CodeBlock = { language, text, line, file, notRun, exitCode: Number(exitCode) }
    const isAnswer = ['json', 'http', 'text'].includes(language)
    if (last && isAnswer && markdown.slice(last.end, index).trim() === '') last.block.shown = block
    last = { block, end: index + whole.length }
    return block
  })
}
