import { pickDefined } from '../../lib/json.ts'
import { generatedIdLimit } from '../../world/numbers.ts'
import { recordFacts, type Shows } from './facts.ts'

export const orderService: Shows = {
  refusals: {
    'insufficient-funds': ({ id, requestBody }) => ({
      shownFacts: new Map([
        ...recordFacts('products', id),
        ...recordFacts('clients', requestBody['clientid']),
      ]),
    }),
  },
  success({ id, path, requestBody, body }) {
    const { serviceId, orderId, invoiceId, amount } = body as Record<string, number | undefined>
    const toNext = (used = Infinity): number | undefined => (used < generatedIdLimit ? used : undefined)
    const { clientid, setip } = requestBody
    const bound = typeof setip === 'string' ? { bindedip: setip } : {}
    const fields = { client: Number(clientid), product: Number(path['pid']), price: amount, orderid: orderId }
    const type = setip === undefined ? {} : { product_type: 'fpr' }
    return {
      shownFacts: new Map([
        ...recordFacts('products', id, { price: amount, ...type }),
        ...recordFacts('clients', Number(clientid)),
      ]),
      newFacts: new Map([
        ...recordFacts('services', serviceId, { ...fields, ...bound }),
        ...recordFacts('invoices', invoiceId, { serviceid: serviceId, amount }),
      ]),
      changedPaths: ['credit', `services/${serviceId}`, `invoices/${invoiceId}`],
      next: pickDefined({ service: toNext(serviceId), order: toNext(orderId), invoice: toNext(invoiceId) }),
    }
  },
}
