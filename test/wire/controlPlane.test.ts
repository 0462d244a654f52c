import { expect, test } from 'vitest'
import type { AdminOperationId } from '../../src/admin/AdminOperation.ts'
import { adminContract } from '../../src/admin/adminContract.ts'
import { small } from '../support/scenario.ts'
import { start } from '../support/start.ts'

/** A call of each operation that succeeds, in this order. A missing one is a compile error. */
const calls: Record<Exclude<AdminOperationId, 'streamEvents'>, [call: string, body?: object]> = {
  getHealth: ['GET /health'],
  getAdminDescription: ['GET /openapi.yaml'],
  getAdminDescriptionAsJson: ['GET /openapi.json'],
  listAssumptions: ['GET /assumptions'],
  listScenarios: ['GET /scenarios'],
  loadScenario: ['POST /scenarios/low-funds/load'],
  getScenario: ['GET /scenario'],
  putScenario: ['PUT /scenario', { description: 'For a test.', ...small }],
  resetAll: ['POST /reset'],
  getAccount: ['GET /accounts/reseller'],
  patchAccount: ['PATCH /accounts/reseller', { credit: 5 }],
  createToken: ['POST /accounts/reseller/tokens'],
  getClock: ['GET /clock'],
  setClock: ['PUT /clock', { frozen: true }],
  advanceClock: ['POST /clock/advance', { by: 'PT1H' }],
  getTimeline: ['GET /timeline'],
  addToTimeline: ['POST /timeline', { after: 'PT1H', pay: 9001 }],
  removeFromTimeline: ['DELETE /timeline/1'],
  clearTimeline: ['DELETE /timeline'],
  listFaults: ['GET /faults'],
  addFault: ['POST /faults', { name: '503' }],
  removeFault: ['DELETE /faults/1'],
  clearFaults: ['DELETE /faults'],
  listRequests: ['GET /requests'],
  waitForRequests: ['POST /requests/wait', { count: 1 }],
  getHar: ['GET /requests.har'],
  getCoverage: ['GET /coverage'],
  listFindings: ['GET /findings'],
  reproduceRequest: ['GET /requests/1/repro'],
  rewindRequest: ['POST /requests/1/rewind'],
  clearRequests: ['DELETE /requests'],
  listSnapshots: ['GET /snapshots'],
  takeSnapshot: ['POST /snapshots'],
  restoreSnapshot: ['POST /snapshots/s1/restore'],
  listAccounts: ['GET /accounts'],
  createAccount: ['POST /accounts', { login: 'other' }],
  deleteAccount: ['DELETE /accounts/other'],
}

test('each call of the control plane succeeds, and responds as its contract says', async () => {
  const { admin, call } = await start({ scenario: small })
  const contract = await adminContract()
  const failed: string[] = []
  for (const [operationId, [text, body]] of Object.entries(calls)) {
    // A reset clears the journal.
    if (operationId === 'listRequests') await call('GET', '/api/clients')
    const [method = '', path = ''] = text.split(' ')
    const { status, text: answer } = await admin(method, path, body)
    const found = contract.match(method, `/__admin${path}`)
    const matched = found && 'operation' in found ? found.operation.operationId : undefined
    const creates = /^(add|create|take)/.test(operationId)
    const expected = method === 'DELETE' ? 204 : creates ? 201 : 200
    if (matched !== operationId || status !== expected) failed.push(`${operationId}: ${status} ${answer}`)
  }
  expect(failed).toEqual([])
})
