import { fraction, hash } from '../../world/random.ts'
import {
  recentDate,
  type GeneratorSource,
  type InputOf,
  type KindDescription,
  type Shape,
  today,
} from './Kind.ts'

const fields = {
  productName: { type: 'text', isRequired: true },
  price: { type: 'usd', isRequired: true },
  groupId: { type: 'id', default: 1 },
  groupName: { type: 'text', fill: ({ groupId }: { groupId: number }) => `Group ${groupId}` },
  created_at: { type: 'date', fill: (_, sources) => today(sources) },
  product_hidden: { type: 'flag', default: false },
  group_hidden: { type: 'flag', default: false },
  product_type: { type: 'productType', isRequired: true },
  ip_count: { type: 'addressCount', productType: 'fpr', default: 1 },
  update_time: { type: 'dateTime', productType: 'fpr', fill: (_, sources) => `${today(sources)} 00:00:00` },
  geo: { type: 'countries', productType: 'fpr', default: ['US'] },
} as const satisfies Shape

export const products = {
  fields,
  firstIds: { product: 101 },
  generate: generateProduct,
  dashboard: {
    columns: {
      productName: 'Name',
      groupName: 'Group',
      product_type: 'Type',
      product_hidden: 'Hidden',
      price: 'Price',
    },
    form: ['productName', 'price'],
    hint: 'Add one in YAML.',
  },
} as const satisfies KindDescription<typeof fields>

function generateProduct(source: GeneratorSource): InputOf<typeof fields> {
  const { faker, seed, id } = source
  faker.seed([seed, hash(['product']), id])
  const isStatic = fraction([seed, 'type', id]) < 2 / 3
  const size = faker.helpers.arrayElement([1, 5, 10, 25, 50, 100])
  return {
    productName: `${isStatic ? `Static ${size}` : `Rotating ${size} GB`} ${faker.location.country()}`,
    price: faker.number.int({ min: 199, max: 19_999 }) / 100,
    groupId: isStatic ? 1 : 2,
    groupName: isStatic ? 'Static' : 'Rotating',
    created_at: recentDate(source, 3 * 365, [seed, 'created', id]),
    product_type: isStatic ? 'fpr' : 'ppr',
    ...(isStatic && {
      ip_count: size,
      geo: faker.helpers.uniqueArray(
        () => faker.location.countryCode(),
        faker.number.int({ min: 1, max: 4 }),
      ),
    }),
  }
}
