/** Makes a text fit into a header: printable ASCII, at most 500 characters. */
export function headerText(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, 500)
}
