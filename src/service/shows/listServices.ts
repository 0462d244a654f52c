import { listedFacts, type Shows } from './facts.ts'

export const listServices: Shows = { success: ({ body }) => listedFacts('services', body, 'service_id') }
