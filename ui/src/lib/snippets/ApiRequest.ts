/** A request of the API, to be written down as a program or sent. */
export interface ApiRequest {
  method: string
  url: string
  /** `login:password` */
  user?: string
  headers: Record<string, string>
  body?: string
}

/** Headers that the documentation asks for with every request. */
export const usualHeaders = { accept: 'application/json', 'content-type': 'application/json' }
