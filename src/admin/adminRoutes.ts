import { Router } from 'express'
import type { Plane } from '../http/handleRequest.ts'
import type { Simulation } from '../Simulation.ts'
import { serve } from '../http/serve.ts'
import { adminPlane } from './adminPlane.ts'
import { pages } from './pages/pages.ts'

/** The control plane, counted if anything is. */
async function open(simulation: Simulation): Promise<Plane> {
  const plane = await adminPlane(simulation)
  return simulation.metrics?.measured(plane) ?? plane
}

/** All that is not the simulated API: the control plane, the contract in use, the pages. */
export function adminRoutes(simulation: Simulation): Router {
  const router = Router()
  let plane: Promise<Plane> | undefined
  router.use(
    '/__admin',
    serve(() => (plane ??= open(simulation)), simulation.stopping.signal),
  )
  router.get('/openapi.yaml', (_req, res) => {
    res.set({ 'content-type': 'application/yaml; charset=utf-8', 'cache-control': 'no-store' })
    res.send(simulation.contract.source)
  })
  router.use(pages())
  return router
}
