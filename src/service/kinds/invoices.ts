import { fraction, pick } from '../../world/random.ts'
import { invoiceStatuses } from '../values.ts'
import {
  recentDate,
  type GeneratorSource,
  type InputOf,
  type KindDescription,
  type Shape,
  today,
} from './Kind.ts'

const fields = {
  description: { type: 'longText', fill: (_, { owner }) => describeOrder(owner) },
  status: { type: 'invoiceStatus', default: 'Paid' },
  created_at: { type: 'date', from: 'regdate', fill: (_, sources) => today(sources) },
  amount: { type: 'usd', from: 'price', default: 0 },
  date_refunded: { type: 'date', statuses: ['Refunded'], fill: (_, sources) => today(sources) },
  date_paid: {
    type: 'date',
    statuses: ['Paid', 'Refunded'],
    fill: ({ created_at }: { created_at: string }, sources) => (sources.before ? today(sources) : created_at),
  },
  paymentmethod: { type: 'text', default: 'credit' },
  serviceid: { type: 'id', isRequired: true },
} as const satisfies Shape

export const invoices = {
  fields,
  firstIds: { invoice: 9001 },
  isCounted: true,
  owners: { serviceid: 'services' },
  generate: generateInvoice,
  dashboard: {
    columns: {
      description: 'Description',
      status: 'Status',
      created_at: 'Created',
      serviceid: 'Service',
      amount: 'Amount',
    },
    form: ['status', 'date_paid', 'amount'],
    hint: 'An order creates one.',
  },
} as const satisfies KindDescription<typeof fields>

function describeOrder(service: { product_name?: string; orderid?: number } | undefined): string {
  return service ? `${service.product_name}, order ${service.orderid}` : 'Order'
}

function generateInvoice(source: GeneratorSource): InputOf<typeof fields> {
  const { seed, id, owners } = source
  return {
    serviceid: owners['serviceid'] as number,
    status: fraction([seed, 'paid', id]) < 0.8 ? 'Paid' : pick(invoiceStatuses, [seed, 'invoice', id]),
    created_at: recentDate(source, 365, [seed, 'invoiced', id]),
  }
}
