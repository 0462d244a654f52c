import type { Exchange } from '../Exchange.ts'

/** Something that a response shows about the world: the value at a path such as `services/5001/status`. */
export interface Sight {
  /** The path of a record (`services/5001`) has a boolean: whether it exists */
  path: string
  /** undefined: the record has no such field */
  value: unknown
  /** Inferred from how the service responded, rather than part of the response */
  implied?: boolean
  /** The service generates such values itself */
  generated?: boolean
}

/** Extracts what a response shows. @param base the record that the request names, such as `services/5001` */
export type Extractor = (exchange: Exchange, base: string) => Sight[]
