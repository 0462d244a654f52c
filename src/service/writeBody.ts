import type { Schema } from '../contract/Contract.ts'
import { numbersAsText } from '../contract/numbersAsText.ts'
import type { World } from '../world/World.ts'

/** A response's body as the service writes it. The documentation doesn't say how it writes numbers: assumption `numbers`. */
export function writeBody(
  body: unknown,
  content: Readonly<Record<string, Schema>> | undefined,
  { assumptions }: World,
): unknown {
  return assumptions.numbers === 'string' ? numbersAsText(body, Object.values(content ?? {})) : body
}
