import { escapeMarkup } from '../escapeMarkup.ts'
import { markdownTable } from '../markdownTable.ts'
import { fenced } from './fenced.ts'
import type { CardPart } from './reportCard.ts'

/** A page as Markdown. */
export function cardMarkdown(parts: readonly CardPart[]): string {
  const blocks = parts.map((part, i) => {
    if ('heading' in part) return `${i === 0 ? '#' : '##'} ${part.heading}`
    if ('head' in part) return markdownTable(part.head, part.rows)
    if ('list' in part) return part.list.map((text) => `- ${text}`).join('\n')
    return fenced([part.code], 'sh').join('\n').trimEnd()
  })
  return `${blocks.join('\n\n')}\n`
}

/** A page as self-contained HTML. */
export function cardHtml(parts: readonly CardPart[]): string {
  const title = parts.map((part) => ('heading' in part ? part.heading : '')).find((text) => text !== '') ?? ''
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title>`,
    `<style>${style}</style>`,
    ...parts.map((part, i) => {
      if ('heading' in part) return tag(i === 0 ? 'h1' : 'h2', escapeMarkup(part.heading))
      if ('list' in part) return tag('ul', part.list.map((text) => tag('li', escapeMarkup(text))).join('\n'))
      if ('code' in part) return tag('pre', escapeMarkup(part.code))
      const head = tag('tr', part.head.map((cell) => `<th scope="col">${escapeMarkup(cell)}</th>`).join(''))
      const rows = part.rows.map(([first = '', ...cells]) =>
        tag(
          'tr',
          `<th scope="row">${escapeMarkup(first)}</th>${cells.map((cell) => tag('td', escapeMarkup(cell))).join('')}`,
        ),
      )
      return tag('table', [head, ...rows].join('\n'))
    }),
    '</html>',
    '',
  ].join('\n')
}

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8886 }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886 }
/* What has a heading of its own is bad. */
h2, li::marker { color: light-dark(#a8211b, #ff9e94) }
ul { padding-left: 1.2rem; border-left: 3px solid light-dark(#a8211b, #ff9e94) }
`

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`
}
