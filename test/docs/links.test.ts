import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { movedPages } from '../../src/admin/movedPages.ts'
import { read, root } from '../support/project.ts'
import { docs } from './pages.ts'

const files = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'llms.txt', 'examples/README.md', ...docs]

test.each(files)('%s has no broken links', (file) => {
  const links = [...read(file).matchAll(/\]\((?<to>[^)]+)\)|(?:src|srcset)="(?<image>[^"]+)"/g)]
    .map(({ groups = {} }) => groups['to'] ?? groups['image'] ?? '')
    .filter((link) => !link.startsWith('http'))
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const to = path === '' ? file : normalize(join(dirname(file), path))
    if (!existsSync(join(root, to))) return true
    return anchor !== undefined && !listAnchors(read(to)).includes(anchor)
  })
  expect(broken).toEqual([])
})

test.each([...movedPages])('the old page %s leads to a section that exists: %s', (old, place) => {
  const [page = '', section = ''] = place.split('#')
  const file = page === 'security' ? 'SECURITY.md' : `docs/${page}.md`
  expect(existsSync(join(root, `docs/${old}.md`))).toBe(false)
  expect(['', ...listAnchors(read(file))]).toContain(section)
})

/** Lists the anchors that GitHub gives to headings. */
function listAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}

test.each(['docs/README.md', 'llms.txt'])('%s links to every page', (index) => {
  const text = read(index)
  const pages = docs.map((page) => page.slice('docs/'.length))
  expect(pages.filter((page) => page !== 'README.md' && !text.includes(`${page})`))).toEqual([])
})

const decisions = readdirSync(join(root, 'docs/decisions')).map((file) => `docs/decisions/${file}`)

test.each(['CONTRIBUTING.md', 'SECURITY.md', ...docs, ...decisions])(
  '%s mentions only existing files',
  (file) => {
    const named = read(file).matchAll(
      /`((?:src|test|ui|scripts|scenarios|fixtures|docs|examples|bench)\/[^`\s<*]+)`/g,
    )
    expect([...named].map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual(
      [],
    )
  },
)

test('no two decisions have the same number', () => {
  const numbered = decisions.filter((file) => !file.endsWith('README.md'))
  const numbers = numbered.map((file) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1])
  expect(numbers).not.toContain(undefined)
  expect(new Set(numbers).size).toBe(numbered.length)
})
