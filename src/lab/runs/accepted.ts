import { unknownName } from '../../lib/nearest.ts'
import type { PathIssue } from '../../lib/PathIssue.ts'
import { isObject, readYamlFile, ScenarioError, toYaml } from '../simulator.ts'

/*
 * The verdicts of `sweep` and `matrix` that a team accepts: they don't fail the run.
 */

const expected =
  'A file of accepted cells is a map from cells to verdicts and reasons: `orderService lost: { verdict: orphaned, reason: … }`'

/** The reason of cells that `--write-accepted` adds. People replace it. */
const noReason = 'not explained yet'

interface AcceptedCell {
  verdict: readonly string[]
  reason: string
}

/** Cells whose verdicts are accepted, by name; `*` in a name stands for any operation, call or fault. */
export class AcceptedCells {
  readonly #cells: ReadonlyMap<string, AcceptedCell>
  readonly #used = new Set<string>()

  private constructor(cells: ReadonlyMap<string, AcceptedCell>) {
    this.#cells = cells
  }

  /**
   * Reads a file.
   * @param verdicts those that can be accepted
   * @throws ScenarioError with line and column
   */
  static async read(file: string, verdicts: readonly string[]): Promise<AcceptedCells> {
    const { value, locate } = await readYamlFile(file, expected)
    const issues = Object.entries(value).flatMap(([key, cell]) => findIssues(key, cell, verdicts))
    if (issues.length > 0) throw new ScenarioError(issues.map(locate))
    const cells = Object.entries(value as Record<string, { verdict: string | string[]; reason: string }>)
    return new AcceptedCells(
      new Map(cells.map(([key, { verdict, reason }]) => [key, { verdict: [verdict].flat(), reason }])),
    )
  }

  /** The cells of several files. The last file with a key takes precedence. */
  static merge(...all: readonly (AcceptedCells | undefined)[]): AcceptedCells {
    return new AcceptedCells(new Map(all.flatMap((one) => (one ? [...one.#cells] : []))))
  }

  /** The reason why a verdict on a cell is accepted, if it is. */
  reasonFor(cell: string, verdict: string): string | undefined {
    const found = this.#find(cell, verdict)
    if (found) this.#used.add(found[0])
    return found?.[1].reason
  }

  /** The keys that no run needed. */
  unusedKeys(): string[] {
    return [...this.#cells.keys()].filter((key) => !this.#used.has(key))
  }

  /** Renders cells as a file. Those that an entry covers keep that entry. */
  async render(cells: readonly { cell: string; verdict: string }[]): Promise<string> {
    const entries = cells.map(({ cell, verdict }): [string, object] => {
      const [key, found] = this.#find(cell, verdict) ?? [cell]
      const all = found?.verdict ?? [verdict]
      const { reason = noReason } = found ?? this.#cells.get(cell) ?? {}
      return [key, { verdict: all.length === 1 ? all[0] : all, reason }]
    })
    if (entries.length === 0) return `# No cell needs to be accepted.\n{}\n`
    return toYaml(Object.fromEntries(entries))
  }

  #find(cell: string, verdict: string): [string, AcceptedCell] | undefined {
    return [...this.#cells].find(([key, one]) => one.verdict.includes(verdict) && matches(key, cell))
  }
}

/** Whether a cell has a name, in which `*` stands for any text within a word. */
function matches(key: string, cell: string): boolean {
  const star = key.indexOf('*')
  if (star < 0) return key === cell
  if (!cell.startsWith(key.slice(0, star))) return false
  const [left, rest] = [cell.slice(star), key.slice(star + 1)]
  const end = left.search(/[ ,]|$/)
  return Array.from({ length: end + 1 }, (_, i) => left.slice(i)).some((one) => matches(rest, one))
}

function findIssues(key: string, cell: unknown, verdicts: readonly string[]): PathIssue[] {
  if (key.trim() === '') return [{ path: [key], message: 'A key must be the name of a cell', isKey: true }]
  if (!isObject(cell)) return [{ path: [key], message: 'Must be a map with verdict and reason' }]
  const unknown = Object.keys(cell).filter((name) => name !== 'verdict' && name !== 'reason')
  const { verdict, reason } = cell
  const all = [verdict].flat()
  const wrong = all.findIndex((one) => typeof one !== 'string' || !verdicts.includes(one))
  return [
    ...unknown.map((name) => ({
      path: [key, name],
      message: unknownName('field', name, ['verdict', 'reason']),
      isKey: true,
    })),
    ...(verdict === undefined ? [{ path: [key, 'verdict'], message: 'Missing field "verdict"' }] : []),
    ...(Array.isArray(verdict) && verdict.length === 0
      ? [{ path: [key, 'verdict'], message: 'The list must have at least one verdict' }]
      : []),
    ...(verdict !== undefined && wrong >= 0
      ? [
          {
            path: Array.isArray(verdict) ? [key, 'verdict', wrong] : [key, 'verdict'],
            message: unknownName('verdict', String(all[wrong]), verdicts),
          },
        ]
      : []),
    ...(typeof reason === 'string' && reason.trim() !== ''
      ? []
      : [
          reason === undefined
            ? { path: [key, 'reason'], message: 'Missing field "reason"' }
            : { path: [key, 'reason'], message: 'Must be a text that says why the verdict is accepted' },
        ]),
  ]
}
