import { Router } from 'express'
import type { Simulation } from '../Simulation.ts'
import { serve } from '../http/serve.ts'
import { adminPlane } from './adminPlane.ts'
import { pages } from './pages.ts'

/** Everything except the simulated API: the control plane, the contract in use, the pages. */
export async function adminRoutes(simulation: Simulation): Promise<Router> {
  const router = Router()
  router.use('/__admin', serve(await adminPlane(simulation), simulation.stopping.signal))
  router.get('/openapi.yaml', (_req, res) => {
    res.set({ 'content-type': 'application/yaml; charset=utf-8', 'cache-control': 'no-store' })
    res.send(simulation.contract.source)
  })
  router.use(pages())
  return router
}
