/** `1 request`, `2 requests`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A text from outside for a message, cut after 100 characters. */
export function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** Puts a text from outside in quotation marks, cut like that. */
export function quoted(text: string): string {
  return JSON.stringify(shorten(text))
}

/** The first names of a list, for a message. */
export function listNames(names: readonly (string | number)[], max = 20): string {
  const more = names.length > max ? ` and ${names.length - max} more` : ''
  return `${names.slice(0, max).join(', ') || 'none'}${more}`
}

/** Escapes a text for HTML and XML, including attributes. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Joins arguments into a command line for a POSIX shell. */
export function shellQuote(args: readonly string[]): string {
  return args
    .map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')
}
