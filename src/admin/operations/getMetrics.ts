import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const getMetrics: AdminOperation<'getMetrics'> = async (_input, { metrics }) => {
  if (!metrics) throw new AdminError(404, 'Metrics are off. Start the simulator with --metrics.')
  return { status: 200, type: 'text/plain', text: await metrics.text() }
}
