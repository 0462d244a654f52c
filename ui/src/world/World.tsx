import { PastWorld } from '../state/pastWorld.ts'
import { useApp } from '../state/store.ts'
import { Accounts } from './Accounts.tsx'
import { Pictures } from './Pictures.tsx'
import { RecordTable } from './RecordTable.tsx'
import { ScenarioEditor } from './ScenarioEditor.tsx'
import { Sessions } from './Sessions.tsx'
import { Standing } from './Standing.tsx'
import { TimeSlider } from './TimeSlider.tsx'
import { useLookBack } from './useLookBack.ts'

const parts = {
  services: 'Services',
  sessions: 'Sessions',
  invoices: 'Invoices',
  clients: 'Clients',
  products: 'Products',
  scenario: 'As YAML',
}
type PartName = keyof typeof parts

/** What the chosen account owns. */
export function World({ part }: { part: string }) {
  const account = useApp((state) => state.account)
  const present = useApp((state) => state.world)
  const lookBack = useLookBack()
  const { chosen: moment, refusal } = lookBack
  // Until the moment is read, what was shown before stays, read only.
  const past = moment && (lookBack.past ?? present)
  const world = past ?? present
  if (!world) return <h1>World</h1>
  const [name = '', open = ''] = part.split('/')
  const chosen: PartName = Object.hasOwn(parts, name) ? (name as PartName) : 'services'
  const counts: Partial<Record<PartName, number>> = {
    services: Object.keys(world.services).length,
    sessions: Object.values(world.services).reduce(
      (sum, { sticky }) => sum + (sticky?.sessions.length ?? 0),
      0,
    ),
    invoices: Object.keys(world.invoices).length,
    clients: Object.keys(world.clients).length,
    products: Object.keys(world.products).length,
  }
  return (
    <div class="world">
      <h1>
        World of <span class="login">{account}</span>
      </h1>
      <Accounts />
      <TimeSlider {...lookBack} />
      {refusal === undefined && (
        <PastWorld.Provider value={past}>
          <Standing key={account} />
          {chosen !== 'scenario' && <Pictures moment={moment} />}
          <nav class="tabs" aria-label="Parts of the world">
            {Object.entries(parts).map(([one, title]) => (
              <a href={`#/world/${one}`} key={one} aria-current={one === chosen ? 'true' : undefined}>
                {title} <span class="count">{counts[one as PartName]?.toLocaleString('en')}</span>
              </a>
            ))}
          </nav>
          <section aria-label={parts[chosen]} class="world-part" key={account}>
            {chosen === 'sessions' ? (
              <Sessions />
            ) : chosen === 'scenario' ? (
              <ScenarioEditor />
            ) : (
              <RecordTable key={chosen} kind={chosen} open={open} />
            )}
          </section>
        </PastWorld.Provider>
      )}
    </div>
  )
}
