/** A request of the API, to be written down as a program or sent. */
export interface ApiRequest {
  method: string
  url: string
  /** `login:password` */
  user?: string
  headers: Record<string, string>
  body?: string
}

/** Whether `fetch` refuses to send a body with it. */
export function isBodyless(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Headers that the documentation asks for with every request. */
export const usualHeaders = { accept: 'application/json', 'content-type': 'application/json' }
