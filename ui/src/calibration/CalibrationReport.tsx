import type { ComponentChildren } from 'preact'
import type {
  AssumptionVerdict,
  BehaviourDifference,
  Calibration,
  Drift,
} from '../../../src/calibration/Calibration.ts'
import { countBy } from '../../../src/calibration/countBy.ts'
import { plural } from '../lib/format.ts'

const meanings: Record<AssumptionVerdict['verdict'], string> = {
  holds: 'the default reading agrees, the others do not',
  other: 'another reading agrees',
  contradicts: 'no reading agrees',
  undecided: 'nothing recorded tells the readings apart',
}

/** What recordings say of the simulator: assumptions with their evidence, drift, and differences side by side. */
export function CalibrationReport({ calibration }: { calibration: Calibration }) {
  const { exchanges, assumptions, drift, behaviour } = calibration
  const compared = new Set(behaviour.differences.map(({ exchange }) => exchange))
  return (
    <div class="calibration">
      <dl class="figures">
        <Figure name="fidelity" value={behaviour.fidelity === null ? '–' : `${behaviour.fidelity} %`} />
        <Figure name="judged" value={`${exchanges.judged} of ${exchanges.read}`} />
        <Figure name="the same" value={behaviour.same} />
        <Figure name="differ" value={behaviour.differ} />
        <Figure name="first sights" value={behaviour.firstSight} />
        <Figure name="undecidable" value={behaviour.undecidable} />
      </dl>
      <section aria-labelledby="assumptions">
        <h2 id="assumptions">Assumptions</h2>
        <p class="muted">What the documentation leaves open, and how the real service reads it.</p>
        <Assumptions assumptions={assumptions} compared={compared} />
      </section>
      <section aria-labelledby="drift">
        <h2 id="drift">Drift</h2>
        <p class="muted">What in the real service’s answers breaks the contract.</p>
        {drift.length === 0 ? <p>None.</p> : <DriftTable drift={drift} compared={compared} />}
      </section>
      <section aria-labelledby="differences">
        <h2 id="differences">Differences</h2>
        <p class="muted">
          Where the real service answers otherwise than the simulator, under the readings that hold.
        </p>
        {behaviour.differences.length === 0 && <p>None.</p>}
        {behaviour.differences.map((one) => (
          <Difference key={one.exchange} {...one} />
        ))}
      </section>
      {exchanges.skipped.length > 0 && (
        <section aria-labelledby="skipped">
          <h2 id="skipped">Not judged</h2>
          <ul>
            {countBy(exchanges.skipped, ({ reason }) => reason).map(([reason, count]) => (
              <li key={reason}>
                {reason}: {plural(count, 'exchange')}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Figure({ name, value }: { name: string; value: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">{value}</dd>
    </div>
  )
}

interface Compared {
  /** Exchanges that stand among the differences */
  compared: ReadonlySet<number>
}

function Assumptions({ assumptions, compared }: { assumptions: AssumptionVerdict[] } & Compared) {
  return (
    <ReportTable
      label="Table of assumptions"
      head={['Assumption', 'Verdict', 'Reading', 'Default', 'Evidence, or what would settle it']}
    >
      {assumptions.map(({ id, verdict, reading, possible, default: fallback, evidence, needs }) => (
        <tr key={id}>
          <th scope="row">{id}</th>
          <td>
            <span class={`mark verdict-${verdict}`} title={meanings[verdict]}>
              {verdict}
            </span>
          </td>
          <td>{reading ?? (possible ? `one of ${possible.join(', ')}` : '–')}</td>
          <td>{fallback}</td>
          <td>
            <Numbers exchanges={evidence} compared={compared} />
            {needs.map(({ call, effect, caution }) => (
              <p key={call}>
                <code>{call}</code> <span class="muted">{[effect, caution].filter(Boolean).join('. ')}</span>
              </p>
            ))}
          </td>
        </tr>
      ))}
    </ReportTable>
  )
}

function DriftTable({ drift, compared }: { drift: Drift[] } & Compared) {
  return (
    <ReportTable label="Table of drift" head={['Operation', 'Status', 'What', 'Exchanges']}>
      {drift.map(({ operation, status, message, exchanges }) => (
        <tr key={`${operation} ${status} ${message}`}>
          <th scope="row">{operation}</th>
          <td>{status}</td>
          <td>{message}</td>
          <td>
            <Numbers exchanges={exchanges} compared={compared} />
          </td>
        </tr>
      ))}
    </ReportTable>
  )
}

function ReportTable({
  label,
  head,
  children,
}: {
  label: string
  head: string[]
  children: ComponentChildren
}) {
  return (
    <div class="report-box" tabindex={0} role="region" aria-label={label}>
      <table class="report">
        <thead>
          <tr>
            {head.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** So many are named. */
const most = 12

/** Exchanges by their numbers; those that differ lead there. */
function Numbers({ exchanges, compared }: { exchanges: readonly number[] } & Compared) {
  return (
    <>
      {exchanges.slice(0, most).map((one) =>
        compared.has(one) ? (
          <button type="button" class="link" key={one} onClick={() => goTo(one)}>
            #{one}
          </button>
        ) : (
          <span key={one}>#{one} </span>
        ),
      )}
      {exchanges.length > most && <span>and {exchanges.length - most} more</span>}
    </>
  )
}

/** The dashboard's address is a route, so that a link cannot name a place on the page. */
function goTo(exchange: number): void {
  document.getElementById(`exchange-${exchange}`)?.scrollIntoView({ block: 'start' })
}

function Difference({ exchange, operation, real, ours, parts }: BehaviourDifference) {
  return (
    <article class="box difference" id={`exchange-${exchange}`} aria-label={`Exchange ${exchange}`}>
      <h3>
        #{exchange} {operation}
      </h3>
      <ReportTable
        label={`What differs in exchange ${exchange}`}
        head={['Part', 'Real service', 'Simulator']}
      >
        {parts.map((part) => (
          <tr key={part.path}>
            <th scope="row">
              <code>{part.path}</code>
            </th>
            <td>
              <Value value={part.real} />
            </td>
            <td>
              <Value value={part.ours} />
            </td>
          </tr>
        ))}
      </ReportTable>
      {ours.case !== null && (
        <p>
          The simulator: <code>{ours.case}</code>
          {ours.reason !== null && `, ${ours.reason}`}.
        </p>
      )}
      <details>
        <summary>Both answers</summary>
        <div class="side-by-side">
          <Answer name="Real service" {...real} />
          <Answer name="Simulator" {...ours} />
        </div>
      </details>
    </article>
  )
}

function Value({ value }: { value: string | number | boolean | null }) {
  return value === null ? <span class="muted">none</span> : <code>{String(value)}</code>
}

function Answer({ name, status, body }: { name: string; status: number; body: unknown }) {
  return (
    <div>
      <h4>
        {name}: {status}
      </h4>
      <pre class="code" tabindex={0} role="region" aria-label={`Answer of the ${name.toLowerCase()}`}>
        {typeof body === 'string' ? body : JSON.stringify(body, null, 2)}
      </pre>
    </div>
  )
}
