import { type Fields, serviceFacts, type Shows } from './facts.ts'

export const getService: Shows = {
  reads: 'services',
  success({ id, body }) {
    const { service_id: _, ...fields } = body as Fields
    const isUnbound = !Object.hasOwn(fields, 'bindedip') && fields['product_type'] === 'fpr'
    return { shownFacts: serviceFacts(id, { ...fields, ...(isUnbound && { bindedip: '' }) }) }
  },
}
