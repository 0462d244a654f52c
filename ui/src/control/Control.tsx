import { Assumptions } from './Assumptions.tsx'
import { Clock } from './Clock.tsx'
import { Faults } from './Faults.tsx'
import { Scenarios } from './Scenarios.tsx'
import { Snapshots } from './Snapshots.tsx'
import { useApp } from '../state/store.ts'

/** Everything that sets the stage. */
export function Control({ query }: { query: string }) {
  const account = useApp((state) => state.account)
  return (
    <>
      <h1>Control</h1>
      <div class="control">
        <div>
          <Scenarios />
          <Snapshots />
        </div>
        <div>
          <Clock key={`clock ${account}`} />
          <Faults key={`faults ${account}`} query={query} />
          <Assumptions />
        </div>
      </div>
    </>
  )
}
