import { it } from 'vitest'
import { calibrate } from '/work/wt/calib/src/calibration/calibrate.ts'
import { GroupReplay } from '/work/wt/calib/src/calibration/GroupReplay.ts'
import { Simulator } from '/work/wt/calib/src/calibration/Simulator.ts'
import { readRecordings } from '/work/wt/calib/src/calibration/readRecordings.ts'
import { loadContract } from '/work/wt/calib/src/contract/loadContract.ts'
import { NaiveService } from '/work/wt/calib/test/calibration/support/NaiveService.ts'
import { fullTour } from '/work/wt/calib/test/calibration/support/tours.ts'
import { harEntry, Tape } from '/work/wt/calib/test/calibration/support/Tape.ts'
import { writeFileSync } from 'node:fs'
it('a', async () => {
  const contract = await loadContract()
  const rec = await readRecordings([fullTour(new NaiveService()).file()], contract)
  const sim = await Simulator.open(contract)
  const g = new GroupReplay(sim, rec.groups[0]!, 3600)
  const steps = await g.run({}, async () => {})
  for (const [i, s] of steps.entries()) if (s.isUndecidable || s.differences.length) console.log(i+1, rec.groups[0]!.exchanges[i]!.request.url, rec.groups[0]!.exchanges[i]!.response.body.slice(0,200), s.ours.status, s.ours.body.slice(0,200), s.isFirst, s.isUndecidable, s.differences)
})
it('b', async () => {
  const contract = await loadContract()
    const recorded = new Tape(new NaiveService())
    const list = 'iplist/http-auth/txt/800'
    const update = { body: { update_list: 'true' } }
    for (const p of ['services', 'service/800', list]) recorded.get('/api/'+p)
    recorded.call('PUT', '/api/service/800', update)
    recorded.call('PUT', '/api/service/800', { body: { update_list: 'true', password: 'bmV3' }, after: 3700_000 })
    recorded.call('PUT', '/api/service/800', { ...update, after: 60_000 })
    for (const p of [list, 'service/800', list]) recorded.get('/api/'+p)
  const entries = recorded.taped.map(harEntry) as any[]
  entries[4].response = { status: 0, headers: [], content: { size: 0 } }
  writeFileSync('/tmp/b.har', JSON.stringify({ log: { entries } }))
  const rec = await readRecordings(['/tmp/b.har'], contract)
  const { calibration } = await calibrate(rec, contract)
  console.log(JSON.stringify(calibration.behaviour, null, 1), JSON.stringify(calibration.assumptions.find(a => a.id === 'updateListInterval')))
})
import { survey } from '/work/wt/calib/src/calibration/survey.ts'
it('c', async () => {
  const contract = await loadContract()
  const rec = await readRecordings(['/tmp/b.har'], contract)
  for (const s of survey(rec.groups[0]!.exchanges).exchanges) console.log(s.exchange.number, [...s.doubts], JSON.stringify(s.adopts), s.sets, s.exchange.response.body.slice(0,300))
})
