import { Router } from 'express'
import type { Plane } from '../http/handleRequest.ts'
import type { Simulation } from '../Simulation.ts'
import { serve } from '../http/serve.ts'
import { adminPlane } from './adminPlane.ts'
import { pages } from './pages/pages.ts'

/** Everything except the simulated API: the control plane, the contract in use, the pages. */
export function adminRoutes(simulation: Simulation): Router {
  const router = Router()
  let plane: Promise<Plane> | undefined
  router.use(
    '/__admin',
    serve(() => (plane ??= adminPlane(simulation)), simulation.stopping.signal),
  )
  router.get('/openapi.yaml', (_req, res) => {
    res.set({ 'content-type': 'application/yaml; charset=utf-8', 'cache-control': 'no-store' })
    res.send(simulation.contract.source)
  })
  router.use(pages())
  return router
}
