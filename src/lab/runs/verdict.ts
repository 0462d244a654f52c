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
  /** The meaning of the verdict, in a sentence for each command */
  sentence: Readonly<Record<Trials, string>>
  /** How to fix it */
  advice: string | null
  applies: (evidence: Evidence) => boolean
}

/** The commands that judge runs */
export type Trials = 'sweep' | 'matrix'

/** The verdicts. A run gets the first one that applies. */
export const verdictTable = [
  {
    verdict: 'not-tried',
    isRed: false,
    sentence: {
      sweep: 'The call never came, or nothing had changed before it (stale), so nothing was tested.',
      matrix: 'No response differed from that with the default, so nothing was tested.',
    },
    advice: null,
    applies: ({ isTried }) => !isTried,
  },
  {
    verdict: 'ordered-twice',
    isRed: true,
    sentence: {
      sweep: 'More was ordered than without a fault.',
      matrix: 'More was ordered than with the default.',
    },
    advice:
      'Before each order, save what is about to be ordered, and look for it before you order again, in the same run and on the next start. Let only one run work at a time.',
    applies: ({ isOrderedTwice }) => isOrderedTwice,
  },
  {
    verdict: 'order-lost',
    isRed: true,
    sentence: forBoth('An order was carried out and billed, and the program never learned of it.'),
    advice: 'If the response to an order is lost, look for the order, and record what you find.',
    applies: ({ isOrderLost }) => isOrderLost,
  },
  {
    verdict: 'wrong-result',
    isRed: true,
    sentence: {
      sweep: 'The program exited with 0, but something was not done, or done differently.',
      matrix: 'The program exited with 0, but it changed something else than with the default.',
    },
    advice:
      'Check the status and the content of each response, and exit with an error if something was not done.',
    applies: ({ hasFailed, differs }) => !hasFailed && differs,
  },
  {
    verdict: 'stuck',
    isRed: true,
    sentence: {
      sweep: 'The program did not end, or failed again without a fault.',
      matrix: 'The program failed, or did not end.',
    },
    advice:
      'Give each request a timeout, give up after a few attempts, and on each start look for what an earlier run has done.',
    applies: ({ isStuck }) => isStuck,
  },
  {
    verdict: 'bad-habit',
    isRed: true,
    sentence: forBoth('The program did something that real services punish, such as ignoring a 429.'),
    advice: null,
    applies: ({ hasBadHabit }) => hasBadHabit,
  },
  {
    verdict: 'reported',
    isRed: false,
    sentence: forBoth('The program exited with an error.'),
    advice: null,
    applies: ({ hasFailed }) => hasFailed,
  },
  {
    verdict: 'ok',
    isRed: false,
    sentence: {
      sweep: 'The program exited with 0, and the result is the same as without a fault.',
      matrix: 'The program exited with 0, and made the same changes as with the default.',
    },
    advice: null,
    applies: () => true,
  },
] as const satisfies Row[]

/** A meaning that is the same for both commands. */
function forBoth(sentence: string): Row['sentence'] {
  return { sweep: sentence, matrix: sentence }
}

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
