/** A block of code in a Markdown page. */
export interface CodeBlock {
  language: string
  text: string
}

/** The fenced blocks of a page, in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm)].map(({ groups = {} }) => ({
    language: groups['language'] ?? '',
    text: groups['text'] ?? '',
  }))
}
