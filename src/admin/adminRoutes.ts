import { Router } from 'express'
import type { Simulation } from '../Simulation.ts'

export function adminRoutes(simulation: Simulation): Router {
  const router = Router()
  router.get('/__admin/health', (_req, res) => {
    res.json({ status: 'ok', scenario: simulation.store.state.scenario.name })
  })
  router.get('/__admin/requests', (_req, res) => {
    res.json(simulation.run.journal.kept.map((k) => k.entry))
  })
  return router
}
