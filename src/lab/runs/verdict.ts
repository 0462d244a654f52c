import type { Mark } from '../../report/Report.ts'

/** The evidence of a verdict, for `sweep` and `matrix` alike. Of several runs, the last one decides. */
export interface Evidence {
  /** Whether the call came, or a response differed */
  isTried: boolean
  /** Whether more was ordered than without a fault */
  isOrderedTwice: boolean
  /** Whether an order was carried out that the client can't know */
  isOrderLost: boolean
  /** Whether the command exited with another code than 0, or was stopped */
  hasFailed: boolean
  /** Whether the result differs from that of the runs without faults */
  differs: boolean
  /** Whether it didn't end; a rerun or an interpretation: whether it failed */
  isStuck: boolean
  /** Whether there is another finding of severity high or medium that the runs without faults don't have */
  hasBadHabit: boolean
}

interface Row {
  verdict: string
  /** Whether it reveals a bug, and fails the run */
  isRed: boolean
  /** The changes that the client made */
  sentence: string
  /** How to fix it */
  advice: string | null
  applies: (evidence: Evidence) => boolean
}

/** The verdicts. A run gets the first one that applies. */
export const verdictTable = [
  {
    verdict: 'not-tried',
    isRed: false,
    sentence: 'The call never came, or no response differed, so nothing was tested.',
    advice: null,
    applies: ({ isTried }) => !isTried,
  },
  {
    verdict: 'ordered-twice',
    isRed: true,
    sentence: 'More was ordered than without a fault.',
    advice:
      'Before each order, save what is about to be ordered, and look for it before you order again, in the same run and on the next start. Let only one run work at a time.',
    applies: ({ isOrderedTwice }) => isOrderedTwice,
  },
  {
    verdict: 'order-lost',
    isRed: true,
    sentence: 'An order was carried out and billed, and the program never learned of it.',
    advice: 'If the response to an order is lost, look for the order, and record what you find.',
    applies: ({ isOrderLost }) => isOrderLost,
  },
  {
    verdict: 'wrong-result',
    isRed: true,
    sentence: 'The program exited with 0, but something was not done, or done differently.',
    advice:
      'Check the status and the content of each response, and exit with an error if something was not done.',
    applies: ({ hasFailed, differs }) => !hasFailed && differs,
  },
  {
    verdict: 'stuck',
    isRed: true,
    sentence: 'The program did not end, or failed again without a fault.',
    advice:
      'Give each request a timeout, give up after a few attempts, and on each start look for what an earlier run has done.',
    applies: ({ isStuck }) => isStuck,
  },
  {
    verdict: 'bad-habit',
    isRed: true,
    sentence: 'The program did something that real services punish, such as ignoring a 429.',
    advice: null,
    applies: ({ hasBadHabit }) => hasBadHabit,
  },
  {
    verdict: 'reported',
    isRed: false,
    sentence: 'The program exited with an error.',
    advice: null,
    applies: ({ hasFailed }) => hasFailed,
  },
  {
    verdict: 'ok',
    isRed: false,
    sentence: 'The program exited with 0, and the result is the same as without a fault.',
    advice: null,
    applies: () => true,
  },
] as const satisfies Row[]

export type Verdict = (typeof verdictTable)[number]['verdict']

const rows: readonly (Row & { verdict: Verdict })[] = verdictTable

/** All verdicts: the red ones first, the worst before the others */
export const verdicts: readonly Verdict[] = rows
  .toSorted((one, other) => Number(other.isRed) - Number(one.isRed))
  .map(({ verdict }) => verdict)

export const redVerdicts = verdicts.filter(isRed)

export function judge(evidence: Evidence): Verdict {
  return rows.find(({ applies }) => applies(evidence))?.verdict as Verdict
}

export function describeVerdict(verdict: Verdict): Row {
  return rows.find((one) => one.verdict === verdict) as Row
}

export function isRed(verdict: Verdict): boolean {
  return describeVerdict(verdict).isRed
}

export function markOf(verdict: Verdict): Mark {
  return isRed(verdict) ? 'bad' : verdict === 'not-tried' ? 'none' : 'good'
}
