const nameAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/

/**
 * The name in a Host header or an option, in lower case and without the port. An IPv6 address keeps its brackets and is
 * shortened as by URL: it can be written in many ways, and some clients send it as given, others shortened.
 * @returns undefined if the text isn't one
 */
export function hostName(text: string): string | undefined {
  const name = nameAndPort.exec(text.toLowerCase())?.[1]
  if (!name?.startsWith('[')) return name?.replace(/\.$/, '')
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined
}
