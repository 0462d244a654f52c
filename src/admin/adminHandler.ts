import type { Request, Response } from 'express'
import type { Simulation } from '../Simulation.ts'
import { adminContract } from './adminContract.ts'
import { adminOperations } from './adminOperations.ts'
import type { AdminOperation, OperationInput } from './AdminOperation.ts'
import { errorAnswer } from './errorAnswer.ts'
import { readInput } from './readInput.ts'
import { sendAnswer, type SomeAnswer } from './sendAnswer.ts'

/** By operationId: the description says which there are, the table's type that none is missing. */
const operations = adminOperations as unknown as Record<string, AdminOperation<never>>

/** The road of a request under `/__admin`: route → read and check → operation → answer. */
export function adminHandler(simulation: Simulation): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    const signal = signalOf(res, simulation.stopping.signal)
    sendAnswer(res, await answer(simulation, req, res, signal), signal)
  }
}

async function answer(
  simulation: Simulation,
  req: Request,
  res: Response,
  signal: () => AbortSignal,
): Promise<SomeAnswer> {
  const { contract, validator } = await adminContract()
  const [pathname = ''] = req.originalUrl.split('?', 1)
  const match = contract.match(req.method === 'HEAD' ? 'GET' : req.method, pathname)
  if (!match) return { status: 404, body: { error: `Not Found: there is no ${pathname}` } }
  if ('allow' in match) {
    const allow = match.allow.join(', ')
    res.set('allow', allow)
    return {
      status: 405,
      body: { error: `Method Not Allowed: ${req.method} is not among the methods of this path (${allow})` },
    }
  }
  try {
    const parts = await readInput(req, res, match.operation, match.path, validator)
    const input = {
      ...parts,
      accept: req.headers.accept ?? '',
      get signal() {
        return signal()
      },
    } as OperationInput<never>
    return await (operations[match.operation.operationId] as AdminOperation<never>)(input, simulation)
  } catch (error) {
    const reply = errorAnswer(error)
    if (!reply) throw error
    if (reply.status === 503)
      simulation.log.error({ path: pathname, err: error }, 'a change could not be written')
    return reply
  }
}

/** Aborted when the client goes away or the simulator stops; made for the few that ask. */
function signalOf(res: Response, stopping: AbortSignal): () => AbortSignal {
  let made: AbortController | undefined
  return () => {
    if (made) return made.signal
    const gone = new AbortController()
    made = gone
    const abort = (): void => {
      stopping.removeEventListener('abort', abort)
      gone.abort()
    }
    if (res.destroyed || stopping.aborted) abort()
    stopping.addEventListener('abort', abort)
    res.once('close', abort)
    return gone.signal
  }
}
