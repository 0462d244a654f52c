/**
 * Builds the guide at /docs/guide: the pages listed in docs/README.md and the files that they link to, as HTML with a
 * search index, and as Markdown for programs. Links work as they do on GitHub.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import highlighter from 'highlight.js/lib/common'
import { Marked, type Token, type Tokens } from 'marked'
import MiniSearch from 'minisearch'
import { build } from 'vite'
import { parse } from 'yaml'
import { escapeMarkup } from '../src/lib/text.ts'
import { searchOptions, type Passage } from '../ui/guide/searchOptions.ts'
import { listModules } from './listModules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Lists the pages. It isn't a page itself: the guide begins with the README. */
const listFile = 'docs/README.md'
const guideUrl = '/docs/guide'

/** URLs of files that the simulator serves in another form, by path */
const otherUrls: Record<string, string> = {
  [listFile]: guideUrl,
  'openapi.yaml': '/docs',
  'admin.openapi.yaml': '/docs/admin',
}

interface Page {
  /** Path relative to the root of the repository */
  path: string
  /** Served path, relative to `/docs/guide` */
  name: string
  title: string
}

interface Chapter {
  title: string
  pages: Page[]
}

interface Heading {
  depth: number
  text: string
  id: string
}

interface Rendered {
  html: string
  headings: Heading[]
  /** The texts below each heading, for the search */
  passages: { heading: Heading; text: string }[]
  /** Linked files and folders of the repository that aren't pages */
  sources: string[]
}

/** Writes the guide into a folder, and returns the modules of its script. */
export async function buildGuide(folder: string): Promise<string[]> {
  const chapters = await readChapters()
  const results = await build({
    configFile: false,
    root: join(root, 'ui/guide'),
    base: `${guideUrl}/`,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  })
  const template = await readFile(join(folder, 'index.html'), 'utf8')
  const write = async (
    page: Page,
    { html, headings }: Pick<Rendered, 'html' | 'headings'>,
  ): Promise<void> => {
    const file = join(folder, `${page.name || 'index'}.html`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, fillTemplate(template, page, { chapters, html, headings }))
  }

  // The server replaces the comment with the path.
  const notFoundHtml = `<h1>Page not found</h1>
<p>There is no page <code><!-- path --></code>. Paths of the API begin with <code>/api</code>. Continue with:</p>
<ul>
<li>the <a href="/">dashboard</a>: requests, data and problems of your client</li>
<li>the <a href="/docs">API reference</a>: every operation, with code samples</li>
<li>the <a href="${guideUrl}">guide</a>: its pages are listed here, and the search finds their words</li>
</ul>`
  await write({ path: '', name: '404', title: 'Page not found' }, { html: notFoundHtml, headings: [] })

  const pages = chapters.flatMap((chapter) => chapter.pages)
  const namesByPath = new Map(pages.map(({ path, name }) => [path, name]))
  const sources = new Set<string>()
  const passages: Omit<Passage, 'id'>[] = []
  for (const page of pages) {
    const markdown = await readFile(join(root, page.path), 'utf8')
    const rendered = renderHtml(markdown, page.path, namesByPath)
    await write(page, rendered)
    await writeFile(
      join(folder, `${page.name || 'index'}.md`),
      renderMarkdown(markdown, page.path, namesByPath, sources),
    )
    for (const source of rendered.sources) sources.add(source)
    for (const { heading, text } of rendered.passages)
      passages.push({
        title: page.title,
        heading: heading.depth === 1 ? page.title : heading.text,
        text,
        url: toUrl(page.name) + (heading.depth === 1 ? '' : `#${heading.id}`),
      })
  }
  passages.push(...(await listOperations()))
  await writeFile(
    join(folder, 'llms.txt'),
    renderMarkdown(await readFile(join(root, 'llms.txt'), 'utf8'), 'llms.txt', namesByPath, sources),
  )
  // The loop also visits sources that pages among the sources add while it runs.
  for (const path of sources) {
    const rendered = await renderSource(path, namesByPath)
    await write({ path, name: getSourceName(path), title: path }, rendered)
    for (const source of rendered.sources) sources.add(source)
  }

  const index = new MiniSearch<Passage>(searchOptions)
  index.addAll(passages.map((passage, id) => ({ id, ...passage })))
  await writeFile(join(folder, 'search.json'), JSON.stringify(index))
  return listModules([results].flat().flatMap((part) => ('output' in part ? part.output : [])))
}

/** Lists the operations of the API, for the search. */
async function listOperations(): Promise<Omit<Passage, 'id'>[]> {
  const { paths } = parse(await readFile(join(root, 'openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string; summary?: string; description?: string }>>
  }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, summary = '', description = '' }]) =>
      operationId === undefined
        ? []
        : {
            title: 'API reference',
            heading: summary,
            text: `${method.toUpperCase()} ${path} ${operationId}. ${description.trim()}`,
            url: `/docs#${operationId}`,
          },
    ),
  )
}

/** Reads the chapters and pages from docs/README.md: a chapter for each heading, a page for each item. */
async function readChapters(): Promise<Chapter[]> {
  const chapters: Chapter[] = []
  for (const token of new Marked().lexer(await readFile(join(root, listFile), 'utf8'))) {
    if (token.type === 'heading' && token['depth'] === 2)
      chapters.push({ title: String(token['text']), pages: [] })
    if (token.type !== 'list') continue
    for (const item of (token as Tokens.List).items) {
      const link = findLink(item.tokens)
      if (!link) throw new Error(`${listFile}: "${item.text}" links to no page.`)
      const path = posix.join('docs', link.href)
      const name = path === 'README.md' ? '' : basename(path, '.md').toLowerCase()
      chapters.at(-1)?.pages.push({ path, name, title: getInlineText(link.tokens) })
    }
  }
  return chapters
}

function findLink(tokens: readonly Token[]): Tokens.Link | undefined {
  for (const token of tokens) {
    if (token.type === 'link') return token as Tokens.Link
    const nested = 'tokens' in token && token.tokens ? findLink(token.tokens) : undefined
    if (nested) return nested
  }
  return undefined
}

function renderHtml(markdown: string, path: string, namesByPath: ReadonlyMap<string, string>): Rendered {
  const headings: Heading[] = []
  const sources: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const heading = createHeading(tokens, depth)
        headings.push(heading)
        const anchor = `<a class="anchor" href="#${heading.id}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${heading.id}">${this.parser.parseInline(tokens)}${depth > 1 ? anchor : ''}</h${depth}>\n`
      },
      code({ text, lang }) {
        return renderCodeBlock(text, lang)
      },
      codespan({ text }) {
        return `<code>${keepFlagsTogether(escapeMarkup(text))}</code>`
      },
      table(token) {
        const cells = (tag: string, row: readonly Tokens.TableCell[]): string => {
          const rendered = row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`)
          return `<tr>${rendered.join('')}</tr>`
        }
        const isNamed = token.header.some(({ text }) => text !== '')
        const head = isNamed
          ? `<thead>${cells('th', token.header).replaceAll('<th></th>', '<td></td>')}</thead>`
          : ''
        const body = token.rows.map((row) => cells('td', row)).join('\n')
        return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = resolveLink(href)
        return target === undefined ? text : `<a href="${escapeMarkup(target)}">${text}</a>`
      },
      image: () => '', // readers can open the dashboard itself
      // Comments are marks for tests and generators.
      html: ({ text }) => (text.trim() === '<br>' ? '<br>' : ''),
    },
  })

  function resolveLink(href: string): string | undefined {
    if (href.startsWith('http://127.0.0.1:4010')) return href.slice('http://127.0.0.1:4010'.length) || '/'
    if (/^(?:https?:|#)/.test(href)) return href
    const { target, hash } = resolvePath(href, path)
    const name = namesByPath.get(target)
    const url = otherUrls[target] ?? (name === undefined ? undefined : toUrl(name))
    // A file or folder of the repository that isn't a page, such as the Dockerfile, becomes one.
    if (url === undefined && !existsSync(join(root, target))) return undefined
    if (url === undefined) sources.push(target)
    return (url ?? toUrl(getSourceName(target))) + hash
  }

  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  return { html, headings, passages: listPassages(tokens), sources }
}

/** Resolves a page's link to a path relative to the root of the repository. */
function resolvePath(href: string, path: string): { target: string; hash: string } {
  const [relative = '', hash] = href.split('#')
  return {
    target: posix.join(dirname(path), relative).replace(/\/$/, ''),
    hash: hash === undefined ? '' : `#${hash}`,
  }
}

/** URLs of files that programs read, by path */
const rawFileUrls: Record<string, string> = {
  'llms.txt': '/llms.txt',
  [listFile]: '/llms.txt',
  'openapi.yaml': '/openapi.yaml',
  'admin.openapi.yaml': '/__admin/openapi.yaml',
}

/** Renders a page as Markdown with links to the simulator, and without marks for tests and generators. */
function renderMarkdown(
  markdown: string,
  path: string,
  namesByPath: ReadonlyMap<string, string>,
  sources: Set<string>,
): string {
  return markdown
    .replaceAll(/(?:<!-- [^\n]* -->|!\[[^\n]*)\n\n?/g, '')
    .replaceAll(/\[([^\]]*)\]\((?!https?:|#)([^)]+)\)/g, (_, text: string, href: string) => {
      const { target, hash } = resolvePath(href, path)
      const name = namesByPath.get(target)
      if (rawFileUrls[target] !== undefined) return `[${text}](${rawFileUrls[target]})`
      if (name !== undefined) return `[${text}](${toUrl(name || 'index')}.md${hash})`
      if (!existsSync(join(root, target))) return text
      sources.add(target)
      return `[${text}](${toUrl(getSourceName(target))}${hash})`
    })
}

/** Returns the plain text below each heading, up to the next one. */
function listPassages(tokens: readonly Token[]): Rendered['passages'] {
  const passages: Rendered['passages'] = []
  for (const token of tokens) {
    if (token.type === 'heading')
      passages.push({ heading: createHeading(token.tokens ?? [], Number(token['depth'])), text: '' })
    const last = passages.at(-1)
    if (last && !['heading', 'html', 'space'].includes(token.type))
      last.text = `${last.text} ${getBlockText(token)}`.trim()
  }
  return passages
}

function getBlockText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((row) => row.map((cell) => getInlineText(cell.tokens)).join(' ')).join(' ')
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => item.tokens.map(getBlockText).join(' ')).join(' ')
  if ('tokens' in token && token.tokens) return getInlineText(token.tokens)
  return 'text' in token ? String(token.text).replaceAll(/\s+/g, ' ') : ''
}

/** Removes formatting. */
function getInlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens
        ? getInlineText(token.tokens)
        : token.type === 'html'
          ? ' '
          : 'text' in token
            ? String(token.text)
            : '',
    )
    .join('')
    .replaceAll(/\s+/g, ' ')
}

function createHeading(tokens: readonly Token[], depth: number): Heading {
  const text = getInlineText(tokens)
  return { depth, text, id: slugify(text) }
}

/** Returns the anchor that GitHub gives a heading. */
function slugify(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function renderCodeBlock(text: string, language = ''): string {
  const isKnown = highlighter.getLanguage(language)
  const html = isKnown ? highlighter.highlight(text, { language }).value : escapeMarkup(text)
  const content = language === 'sh' ? keepFlagsTogether(html) : html
  return `<div class="block"><pre tabindex="0"><code>${content}</code></pre></div>\n`
}

/** Keeps browsers from breaking flags after hyphens. */
function keepFlagsTogether(html: string): string {
  return html.replaceAll(
    /(?<=^|\s)--?(?:<span[^>]*>)?\w[\w-]{0,24}(?:<\/span>)?(?=\s|$)/g,
    '<span class="flag">$&</span>',
  )
}

/** Renders a file of the repository, or all files of a folder. */
async function renderSource(path: string, namesByPath: ReadonlyMap<string, string>): Promise<Rendered> {
  const fullPath = join(root, path)
  if ((await stat(fullPath)).isDirectory()) {
    const files = (await readdir(fullPath, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => posix.join(path, entry.parentPath.slice(fullPath.length), entry.name))
      .toSorted()
    const parts = await Promise.all(
      files.map(
        async (file) =>
          `<h2 id="${slugify(file)}">${escapeMarkup(file.slice(path.length + 1))}</h2>\n${await readSource(file)}`,
      ),
    )
    const headings = files.map((file) => ({ depth: 2, text: file.slice(path.length + 1), id: slugify(file) }))
    return { html: `<h1>${escapeMarkup(path)}</h1>\n${parts.join('')}`, headings, passages: [], sources: [] }
  }
  if (extname(path) === '.md') return renderHtml(await readFile(fullPath, 'utf8'), path, namesByPath)
  return {
    html: `<h1>${escapeMarkup(path)}</h1>\n${await readSource(path)}`,
    headings: [],
    passages: [],
    sources: [],
  }
}

async function readSource(path: string): Promise<string> {
  const text = await readFile(join(root, path), 'utf8')
  // Colors would triple the size of long files, such as the schema of scenarios.
  return renderCodeBlock(text, text.length > 50_000 ? '' : extname(path).slice(1))
}

function fillTemplate(
  template: string,
  { name, title }: Page,
  { chapters, html, headings }: { chapters: readonly Chapter[]; html: string; headings: readonly Heading[] },
): string {
  const parts: Record<string, string> = {
    title: `${name === '' ? '' : `${escapeMarkup(title)} · `}Guide · Proxy Reselling Simulator`,
    pages: chapters.map((chapter) => renderNavigation(chapter, name)).join('\n'),
    content: html,
    outline: renderOutline(headings),
  }
  return template.replaceAll(
    /<!-- (title|pages|content|outline) -->/g,
    (_, part: string) => parts[part] ?? '',
  )
}

function renderNavigation({ title, pages }: Chapter, currentName: string): string {
  const items = pages.map(
    ({ name, title: text }) =>
      `<a href="${toUrl(name)}"${name === currentName ? ' aria-current="page"' : ''}>${escapeMarkup(text)}</a>`,
  )
  return `<p>${escapeMarkup(title)}</p>\n${items.join('\n')}`
}

function renderOutline(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return ''
  const links = shown.map(
    ({ depth, text, id }) =>
      `<a${depth > 2 ? ' class="deeper"' : ''} href="#${id}">${escapeMarkup(text)}</a>`,
  )
  return `<nav class="outline" aria-labelledby="outline"><details><summary id="outline">On this page</summary>${links.join('\n')}</details></nav>`
}

/** Replaces dots, because the server would look for a file if the name contained a dot. */
function getSourceName(path: string): string {
  return `source/${path.replaceAll(/[./]/g, '-')}`
}

function toUrl(name: string): string {
  return name === '' ? guideUrl : `${guideUrl}/${name}`
}
