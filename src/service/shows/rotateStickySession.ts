import { isObject } from '../../world/mergePatch.ts'
import { toIsoString } from '../../world/time.ts'
import { activeRotatingService, type Fields, recordFacts, serviceFacts, type Shows } from './facts.ts'

export const rotateStickySession: Shows = {
  success({ id, path: { server, session }, body, at }) {
    const { ip = '198.18.0.1', ttl }: Fields = isObject(body) ? body : {}
    const renewed = { server, session, ip, rotations: 0, since: toIsoString(at) }
    return {
      shownFacts: serviceFacts(id, {
        ...activeRotatingService,
        ...(typeof ttl === 'number' && { 'sticky/ttl': ttl }),
        'sticky/session': renewed,
      }),
      newFacts: recordFacts('services', id, { 'sticky/session': renewed }),
      changedPaths: [],
    }
  },
}
