const nameAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/

/**
 * The name in a Host header or an option, in lower case and without the port; an IPv6 address keeps its brackets.
 * @returns undefined if the text isn't one
 */
export function hostName(text: string): string | undefined {
  return nameAndPort.exec(text.toLowerCase())?.[1]?.replace(/\.$/, '')
}
