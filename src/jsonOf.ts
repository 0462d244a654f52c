import { isDeep } from './journal/isDeep.ts'

/** The value of a JSON text; undefined if there is none, it isn't JSON, or it is nested too deeply. */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined || isDeep(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
