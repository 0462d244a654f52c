import type { World } from '../../world/World.ts'
import { Redactor } from './Redactor.ts'

/** Redacts the credentials in a merge patch on a world. */
export function redactChange(change: unknown, world: World | undefined): unknown {
  return new Redactor(world ? [world.password, world.tokens] : []).value(change)
}
