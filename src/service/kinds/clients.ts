import { hash } from '../../world/random.ts'
import type { GeneratorSource, KindDescription, Shape } from './Kind.ts'

const fields = {
  email: { type: 'text', fill: (_, { id }) => `client${id}@example.com` },
} as const satisfies Shape

export const clients = {
  fields,
  firstIds: { client: 11 },
  generate: (source) => ({ email: generateEmail(source) }),
  dashboard: {
    columns: { email: 'E-mail' },
    form: ['email'],
    hint: 'Orders need one. Add one in YAML.',
  },
} as const satisfies KindDescription<typeof fields>

function generateEmail({ faker, seed, id }: GeneratorSource): string {
  faker.seed([seed, hash(['client']), id])
  const [name, host] = faker.internet.exampleEmail().toLowerCase().split('@')
  return `${name}${id}@${host}` // the id makes it unique
}
