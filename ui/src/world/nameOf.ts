import type { RecordKind } from './fields.ts'

/** `service 5001` */
export function nameOf(kind: RecordKind, id = ''): string {
  return `${kind.slice(0, -1)} ${id}`.trim()
}
