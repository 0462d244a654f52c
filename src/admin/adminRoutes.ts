import { Router } from 'express'
import type { Simulation } from '../Simulation.ts'
import { adminHandler } from './adminHandler.ts'
import { pages } from './pages/pages.ts'

/** All that is not the simulated API: the control plane, the contract in use, the pages. */
export function adminRoutes(simulation: Simulation): Router {
  const router = Router()
  router.use('/__admin', adminHandler(simulation))
  router.get('/openapi.yaml', (_req, res) => {
    res.set({ 'content-type': 'application/yaml; charset=utf-8', 'cache-control': 'no-store' })
    res.send(simulation.contract.source)
  })
  router.use(pages())
  return router
}
