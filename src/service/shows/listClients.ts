import { listedFacts, type Shows } from './facts.ts'

export const listClients: Shows = { success: ({ body }) => listedFacts('clients', body, 'id') }
