/** The media type of a Content-Type header: `application/json; charset=utf-8` → `application/json` */
export function mediaOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === 'application/json') return header // fast path
  return (String(header).split(';', 1)[0] as string).trim().toLowerCase()
}
