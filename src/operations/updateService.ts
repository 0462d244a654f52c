import { findService, requireActive, requireClient } from '../world/services.ts'
import { updateService as update, wantsList } from '../world/updating.ts'
import type { ResponseBodyOf, Operation } from './Operation.ts'

export const updateService: Operation<'updateService'> = (input, world, now) => {
  const { id } = input.path()
  const service = findService(world, id)
  requireClient(world, service, id)
  requireActive(service, id)
  const posted = input.body() ?? {}
  const change = update(world, id, service, posted, now)
  // The documentation doesn't show whether fields that weren't sent are present: assumption `updateResult`.
  const all = world.assumptions.updateResult === 'all'
  const body: ResponseBodyOf<'updateService'> = {}
  if (all || posted.setip !== undefined) body.setip = { success: 'IP address updated successfully' }
  if (all || wantsList(posted)) body.update_list = { success: 'IP list updated successfully' }
  if (all || posted.password !== undefined) body.password = { success: 'Password updated successfully' }
  return { body, change: Object.keys(change).length > 0 ? { services: { [id]: change } } : undefined }
}
