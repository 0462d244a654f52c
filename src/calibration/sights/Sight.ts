import type { Exchange } from '../Exchange.ts'

/** Something that an answer shows of the world: a value at a path of it, as `services/5001/status`. */
export interface Sight {
  /** A record's own path (`services/5001`) says whether it is there. */
  path: string
  /** undefined: the record has no such field */
  value: unknown
  /** It follows from how the service answered, and does not stand in the answer. */
  implied?: boolean
  /** The service makes such values up itself. */
  generated?: boolean
}

/** What an answer shows, and which lists it shows whole (`services`). */
export interface Sights {
  sights: Sight[]
  whole?: 'clients' | 'services' | 'invoices' | 'products'
}

/** Reads what an answer shows. */
export type Look = (exchange: Exchange) => Sights
