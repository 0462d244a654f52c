import { fromBase64 } from '../../lib/base64.ts'
import { toIsoString } from '../../world/time.ts'
import { type Fields, parseTime, recordFacts, serviceFacts, type Shows, updatableService } from './facts.ts'

export const updateService: Shows = {
  refusals: {
    'ip-already-bound': ({ id }) => ({
      shownFacts: serviceFacts(id, { ...updatableService, product_type: 'fpr' }),
    }),
    'update-list-throttled': ({ id, refusal }, { interval, assumptions }) => {
      // The time in the message is one interval after the last update.
      const last = parseTime(refusal?.variables['timestamp'], assumptions.timeZone) - interval * 1000
      return {
        shownFacts: serviceFacts(id, {
          ...updatableService,
          ...(last && { list_updated_at: toIsoString(last) }),
        }),
      }
    },
  },
  success({ id, requestBody: { setip, update_list, password }, at }) {
    const updatesList = update_list === 'true'
    const newFacts: Fields = {
      ...(typeof setip === 'string' && { bindedip: setip }),
      ...(typeof password === 'string' && { password: fromBase64(password) }),
      ...(updatesList && { list_updated_at: toIsoString(at) }),
    }
    const type = setip === undefined ? {} : { product_type: 'fpr' }
    const due = updatesList ? { list_updated_at: null } : {} // the last update was long ago, or there was none
    return {
      shownFacts: serviceFacts(id, { ...updatableService, ...type, ...due }),
      newFacts: recordFacts('services', id, newFacts),
      changedPaths: [...Object.keys(newFacts), ...(updatesList ? ['ips'] : [])].map(
        (name) => `services/${id}/${name}`,
      ),
    }
  },
}
