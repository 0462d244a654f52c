/** The path of a request under `/__admin` */
export function requestPath(id: string): string {
  return `/requests/${encodeURIComponent(id.replace(/^#/, ''))}`
}
