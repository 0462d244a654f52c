/** Pages that became part of another page: the old name, and the page and section that have its content now. */
export const movedPages: ReadonlyMap<string, string> = new Map([
  ['clients', 'extend#generated-clients'],
  ['containers', 'operate#containers'],
  ['control-plane', 'extend#control-plane'],
  ['crash-testing', 'sweep#does-it-recover'],
  ['durability', 'operate#durability'],
  ['fixed-choices', 'assumptions#fixed-choices'],
  ['go', 'languages#go'],
  ['hardening', 'security#limits'],
  ['overrides', 'extend#overrides'],
  ['own-contract', 'extend#overrides'],
  ['php', 'languages#php'],
  ['python', 'languages#python'],
  ['replicas', 'operate#replicas'],
  ['shell', 'languages#shell'],
  ['testing', 'javascript'],
  ['tls', 'operate#tls'],
])

/** Returns the path of the page that replaced a page of the guide, if any. @param file such as `tls` or `tls.md` */
export function findMovedPage(file: string): string | undefined {
  const isMarkdown = file.endsWith('.md')
  const name = file.replace(/\.(?:md|html)$/, '')
  if (name === 'agents') return '/llms.txt'
  if (name === 'getting-started') return isMarkdown ? '/docs/guide/index.md' : '/docs/guide'
  const [page, section] = movedPages.get(name)?.split('#') ?? []
  if (page === undefined) return undefined
  return `/docs/guide/${page}${isMarkdown ? '.md' : ''}${section === undefined ? '' : `#${section}`}`
}
