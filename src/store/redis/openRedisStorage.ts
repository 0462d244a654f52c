import { UserError } from '../../UserError.ts'
import type { State } from '../State.ts'
import type { Storage } from '../Storage.ts'

export async function openRedisStorage(
  _settings: object,
  _initial: () => Promise<State>,
): Promise<{ storage: Storage; joined: boolean }> {
  throw new UserError('The shared store is being rebuilt.')
}
