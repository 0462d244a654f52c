import { expect, test } from 'vitest'
import { startForAll } from '../support/start.ts'

const sim = startForAll()

test('a running simulator serves llms.txt, and every page reachable from it as Markdown', async () => {
  const { url } = sim()
  const get = async (path: string) => {
    const response = await fetch(url + path)
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text: await response.text(),
    }
  }
  const fetched = new Map([['/llms.txt', await get('/llms.txt')]])
  expect(fetched.get('/llms.txt')).toMatchObject({
    status: 200,
    type: expect.stringContaining('text/plain') as string,
  })
  for (const [, { text }] of fetched)
    for (const [, link = ''] of text.matchAll(/\]\((\/[^)#]*)(?:#[^)]*)?\)/g)) {
      if (fetched.has(link)) continue
      const found = await get(link)
      expect(found.status, link).toBe(200)
      // Pages of the guide are linked as .md. All other links lead to HTML.
      expect(found.type.includes('text/markdown'), link).toBe(link.endsWith('.md'))
      if (link.endsWith('.md')) fetched.set(link, found)
    }
  expect(fetched.get('/docs/guide/index.md')?.text).toMatch(/^# Proxy Reselling Simulator\n/)
  expect([...fetched.values()].map(({ text }) => text).join('')).not.toMatch(/<!-- |\]\((?!\/|http|#)[\w.]/)
})

test.each([
  ['agents', '/llms.txt'],
  ['agents.md', '/llms.txt'],
  ['getting-started.html', '/docs/guide'],
  ['php', '/docs/guide/languages#php'],
  ['replicas.md', '/docs/guide/operate.md#replicas'],
  ['testing.md', '/docs/guide/javascript.md'],
])('a link to the old page %s leads to %s', async (old, to) => {
  const { url } = sim()
  const { status, headers } = await fetch(`${url}/docs/guide/${old}`, { redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([301, to])
})
