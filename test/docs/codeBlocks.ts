/** A block of code in a Markdown page. */
export interface CodeBlock {
  language: string
  text: string
  line: number
  /** The name of the file to save the block as, if its first line is a comment with only a name */
  file: string | undefined
  /** The reason in `<!-- not run: WHY -->` before the block */
  notRun: string | undefined
  /** The code in `<!-- exits with N -->` before the block. @default 0 */
  exitCode: number
  /** The output that the page shows: the next block, if it isn't code */
  expectedOutput?: CodeBlock
}

const fencePattern =
  /(?:<!-- (?:not run: (?<notRun>.*)|exits with (?<exitCode>\d+)) -->\n+)?^```(?<language>\w*)\n(?<text>(?:(?:\/\/|#) (?<file>[\w.-]+\.\w+)\n)?[\s\S]*?)^```$/gm

/** Parses the fenced blocks of a page. */
export function parseCodeBlocks(markdown: string): CodeBlock[] {
  let last: { block: CodeBlock; end: number } | undefined
  return [...markdown.matchAll(fencePattern)].map(({ index, 0: matchedText, groups = {} }) => {
    const { language = '', text = '', file, notRun, exitCode = 0 } = groups
    const line = markdown.slice(0, index + matchedText.indexOf('```')).split('\n').length
    const block: CodeBlock = { language, text, line, file, notRun, exitCode: Number(exitCode) }
    const isAnswer = ['json', 'http', 'text'].includes(language)
    if (last && isAnswer && markdown.slice(last.end, index).trim() === '') last.block.expectedOutput = block
    last = { block, end: index + matchedText.length }
    return block
  })
}
