import { addFault } from './operations/addFault.ts'
import { advanceClock } from './operations/advanceClock.ts'
import { clearFaults } from './operations/clearFaults.ts'
import { clearRequests } from './operations/clearRequests.ts'
import { createAccount } from './operations/createAccount.ts'
import { createToken } from './operations/createToken.ts'
import { deleteAccount } from './operations/deleteAccount.ts'
import { getAccount } from './operations/getAccount.ts'
import { getAdminDescription } from './operations/getAdminDescription.ts'
import { getClock } from './operations/getClock.ts'
import { getCoverage } from './operations/getCoverage.ts'
import { getHar } from './operations/getHar.ts'
import { getHealth } from './operations/getHealth.ts'
import { getMetrics } from './operations/getMetrics.ts'
import { getScenario } from './operations/getScenario.ts'
import { listAccounts } from './operations/listAccounts.ts'
import { listAssumptions } from './operations/listAssumptions.ts'
import { listFaults } from './operations/listFaults.ts'
import { listFindings } from './operations/listFindings.ts'
import { listRequests } from './operations/listRequests.ts'
import { listScenarios } from './operations/listScenarios.ts'
import { listSnapshots } from './operations/listSnapshots.ts'
import { loadScenario } from './operations/loadScenario.ts'
import { patchAccount } from './operations/patchAccount.ts'
import { putScenario } from './operations/putScenario.ts'
import { removeFault } from './operations/removeFault.ts'
import { resetAll } from './operations/resetAll.ts'
import { restoreSnapshot } from './operations/restoreSnapshot.ts'
import { reproduceRequest } from './operations/reproduceRequest.ts'
import { rewindRequest } from './operations/rewindRequest.ts'
import { setClock } from './operations/setClock.ts'
import { streamEvents } from './operations/streamEvents.ts'
import { takeSnapshot } from './operations/takeSnapshot.ts'
import { waitForRequests } from './operations/waitForRequests.ts'
import type { AdminOperation, AdminOperationId } from './AdminOperation.ts'

/** Every operation of the control plane; to forget one is a compile error. */
export const adminOperations: { [Op in AdminOperationId]: AdminOperation<Op> } = {
  getHealth,
  getMetrics,
  getAdminDescription,
  listAssumptions,
  listScenarios,
  loadScenario,
  getScenario,
  putScenario,
  resetAll,
  listAccounts,
  createAccount,
  getAccount,
  patchAccount,
  deleteAccount,
  createToken,
  getClock,
  setClock,
  advanceClock,
  listFaults,
  addFault,
  clearFaults,
  removeFault,
  listRequests,
  clearRequests,
  waitForRequests,
  rewindRequest,
  reproduceRequest,
  getHar,
  streamEvents,
  getCoverage,
  listFindings,
  listSnapshots,
  takeSnapshot,
  restoreSnapshot,
}
