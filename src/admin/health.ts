import { servedContract } from '../contract/servedContract.ts'
import { version } from '../lib/files.ts'
import { adminContract } from './adminContract.ts'
import { AdminError } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { TextResponse } from './TextResponse.ts'

export const getHealth: AdminOperation<'getHealth'> = async (_input, { store, isDraining }) => {
  if (isDraining) throw new AdminError(503, 'The simulator is stopping.')
  const { problem, warnings } = await store.health()
  if (problem !== undefined) throw new AdminError(503, problem)
  const { name } = await store.scenario()
  return { status: 'ok', version, scenario: name, ...(warnings.length && { warnings }) }
}

export const getAdminDescription: AdminOperation<'getAdminDescription'> = async ({ origin }) =>
  new TextResponse('application/yaml', await servedContract(await adminContract(), 'yaml', origin))

export const getAdminDescriptionAsJson: AdminOperation<'getAdminDescriptionAsJson'> = async ({ origin }) =>
  JSON.parse(await servedContract(await adminContract(), 'json', origin)) as Record<string, unknown>
