import { useMemo } from 'preact/hooks'
import { money, plural, timeOfDay } from '../lib/format.ts'
import type { JournalEntry } from '../lib/types.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { creditSteps, type CreditStep } from './creditSteps.ts'

const width = 600
const height = 120
const edge = 8

/** As many steps as can be told apart */
const most = 60

interface Props {
  /** The request before which the world is looked at */
  moment: JournalEntry | undefined
}

/** What the credit was after each request that changed it; a mark on the line is an order, and leads to it. */
export function CreditPicture({ moment }: Props) {
  const account = useApp((state) => state.account)
  const credit = useApp((state) => state.world?.credit ?? 0)
  const all = useApp((state) => state.entries)
  const seen = useApp((state) => state.lines)
  const steps = useMemo(
    () =>
      creditSteps(
        all.filter((entry) => entry.account === account && entry.change !== null).toReversed(),
        seen,
      ).slice(-most),
    [all, account, seen],
  )
  const orders = steps.filter(({ ordered }) => ordered !== undefined)
  const [first] = steps
  const start = first?.before ?? first?.after ?? credit
  const highest = Math.max(1, start, credit, ...steps.map(({ after }) => after))
  const x = (at: number) => edge + (at / (steps.length + 1)) * (width - 2 * edge)
  const y = (amount: number) => height - edge - (amount / highest) * (height - 2 * edge)
  const line = [
    `M${x(0)} ${y(start)}`,
    ...steps.flatMap(({ before, after }, i) => [
      // It may have been changed from elsewhere since the step before: halfway, so that no mark leaves the line.
      ...(before === undefined ? [] : [`H${x(i + 0.5)} V${y(before)}`]),
      `H${x(i + 1)} V${y(after)}`,
    ]),
    `H${x(steps.length + 0.5)} V${y(credit)} H${x(steps.length + 1)}`,
  ].join(' ')
  return (
    <figure class="picture">
      <figcaption>
        Credit, request by request{' '}
        <span class="muted">
          {steps.length === 0 ? 'no request has changed it yet' : plural(orders.length, 'order')}
        </span>
      </figcaption>
      <div class="picture-box">
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="credit-area" d={`${line} V${height - edge} H${x(0)} Z`} />
          <path class="credit-line" d={line} />
        </svg>
        {steps.map((step, i) => (
          <a
            key={step.entry.id}
            class={`picture-mark ${step.ordered === undefined ? 'is-plain' : ''} ${step.entry.id === moment?.id ? 'is-chosen' : ''}`}
            href={link('requests', String(step.entry.id))}
            aria-label={inWords(step)}
            title={inWords(step)}
            style={{ left: `${(x(i + 1) / width) * 100}%`, top: `${(y(step.after) / height) * 100}%` }}
          />
        ))}
      </div>
      <p class="picture-ends muted">
        <span>
          {first && `${timeOfDay(first.entry.time)} · `}
          {money(start)}
        </span>
        <span>now · {money(credit)}</span>
      </p>
    </figure>
  )
}

function inWords({ entry, before, after, ordered }: CreditStep): string {
  const change = before === undefined ? money(after) : `${money(before)} → ${money(after)}`
  return `#${entry.id} ${ordered === undefined ? (entry.operation ?? entry.path) : `order of ${ordered}`}: ${change}`
}
