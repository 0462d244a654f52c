/** An address without user and password, to show in messages: `redis://host:6379/0`. */
export function shownAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  if (protocol === 'unix:') return `unix://${pathname}`
  return `${protocol}//${hostname}:${port || 6379}/${pathname.slice(1) || 0}`
}
