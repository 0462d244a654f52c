import { version } from '../../version.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const getHealth: AdminOperation<'getHealth'> = async (_asked, { store }) => ({
  status: 200,
  body: { status: 'ok', version, scenario: (await store.scenario()).name },
})
