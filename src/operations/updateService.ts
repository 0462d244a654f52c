import { findService, requireActive, requireClient } from '../world/services.ts'
import { updateService as update, wantsList } from '../world/updating.ts'
import type { Operation } from './Operation.ts'

export const updateService: Operation<'updateService'> = (input, world, now) => {
  const { id } = input.path()
  const service = findService(world, id)
  requireClient(world, service, id)
  requireActive(service, id)
  const posted = input.body() ?? {}
  const change = update(world, id, service, posted, now)
  // The documentation doesn't show whether fields that weren't sent are present: assumption `updateResult`.
  const all = world.assumptions.updateResult === 'all'
  return {
    body: {
      ...((all || posted.setip !== undefined) && { setip: { success: 'IP address updated successfully' } }),
      ...((all || wantsList(posted)) && { update_list: { success: 'IP list updated successfully' } }),
      ...((all || posted.password !== undefined) && {
        password: { success: 'Password updated successfully' },
      }),
    },
    ...(Object.keys(change).length > 0 && { change: { services: { [id]: change } } }),
  }
}
