import { z } from 'zod'
import { matchesGlob } from '../../lib/glob.ts'
import { readYamlFile, ScenarioError, toYaml } from '../simulator.ts'
import { redVerdicts, type Verdict } from './verdict.ts'

/*
 * The verdicts of `sweep` and `matrix` that a team accepts: they don't fail the run.
 */

const expected =
  'A file of accepted cells is a map from cells to verdicts and reasons: `orderService lost: { verdict: order-lost, reason: … }`'

/** The reason of cells that `--write-accepted` adds. People replace it. */
const noReason = 'not explained yet'

const verdictSchema = z.enum(redVerdicts as [Verdict, ...Verdict[]])
const text = z.string().trim().min(1)
const schema = z.object({ ignore: z.array(text).optional() }).catchall(
  z.strictObject({
    verdict: z.preprocess(
      (value) => (value === undefined ? value : [value].flat()),
      z.array(verdictSchema).min(1),
    ),
    reason: text,
  }),
)

interface AcceptedCell {
  verdict: readonly Verdict[]
  reason: string
}

interface JudgedCell {
  cell: string
  verdict: Verdict
}

/** Cells whose verdicts are accepted, by name; `*` in a name stands for any operation, call or fault. */
export class AcceptedCells {
  /** Patterns of files that aren't compared */
  readonly ignore: readonly string[]
  readonly #cells: ReadonlyMap<string, AcceptedCell>
  readonly #used = new Set<string>()

  private constructor(cells: ReadonlyMap<string, AcceptedCell>, ignore: readonly string[]) {
    this.#cells = cells
    this.ignore = ignore
  }

  /** Reads a file. @throws ScenarioError with line and column */
  static async read(file: string): Promise<AcceptedCells> {
    const { value, locate } = await readYamlFile(file, expected)
    const { data, error } = schema.safeParse(value)
    if (!data)
      throw new ScenarioError(
        error.issues.map(({ path, message }) => {
          const [key, field, ...rest] = path as (string | number)[]
          const isList = Array.isArray(
            (value[String(key)] as Record<string, unknown> | null)?.[String(field)],
          )
          const located = [key, field, ...(isList || field !== 'verdict' ? rest : [])]
          return locate({ path: located.filter((part) => part !== undefined), message })
        }),
      )
    const { ignore = [], ...cells } = data
    return new AcceptedCells(new Map(Object.entries(cells)), ignore)
  }

  /** The cells of several files. The last file with a key takes precedence. */
  static merge(...all: readonly (AcceptedCells | undefined)[]): AcceptedCells {
    const some = all.filter((one) => one !== undefined)
    return new AcceptedCells(new Map(some.flatMap((one) => [...one.#cells])), [
      ...new Set(some.flatMap(({ ignore }) => ignore)),
    ])
  }

  /** The reason why a verdict on a cell is accepted, if it is. */
  reasonFor(cell: string, verdict: Verdict): string | undefined {
    const found = this.#find(cell, verdict)
    if (found) this.#used.add(found[0])
    return found?.[1].reason
  }

  /** The keys that no run needed. @param isTried whether a cell with a key could have been tried */
  unusedKeys(isTried: (key: string) => boolean): string[] {
    return [...this.#cells.keys()].filter((key) => !this.#used.has(key) && isTried(key))
  }

  /** The keys whose reason is still the one that we wrote. */
  get unexplainedKeys(): string[] {
    return [...this.#cells].flatMap(([key, { reason }]) => (reason === noReason ? [key] : []))
  }

  /** Renders cells as a file. Those that an entry covers keep that entry, and so do those that weren't tried. */
  async render(cells: readonly JudgedCell[], isTried: (key: string) => boolean): Promise<string> {
    const found = cells.map(({ cell, verdict: one }): [string, AcceptedCell] => {
      const { reason = noReason } = this.#cells.get(cell) ?? {}
      return this.#find(cell, one) ?? [cell, { verdict: [one], reason }]
    })
    const kept = [...this.#cells].filter(([key]) => !isTried(key))
    const entries = [...found, ...kept].map(([key, { verdict: all, reason }]): [string, object] => [
      key,
      { verdict: all.length === 1 ? all[0] : all, reason },
    ])
    const ignore = this.ignore.length > 0 ? { ignore: this.ignore } : {}
    const content = { ...ignore, ...Object.fromEntries(entries) }
    return Object.keys(content).length === 0 ? `# No cell needs to be accepted.\n{}\n` : toYaml(content)
  }

  #find(cell: string, verdict: Verdict): [string, AcceptedCell] | undefined {
    return [...this.#cells].find(([key, one]) => one.verdict.includes(verdict) && matches(key, cell))
  }
}

/** Whether a cell has a name, in which `*` stands for any text within a word. */
export function matches(key: string, cell: string): boolean {
  const [words, names] = [key, cell].map((one) => one.split(/(?<=[ ,])|(?=[ ,])/)) as [string[], string[]]
  return words.length === names.length && words.every((word, i) => matchesGlob(word, names[i] ?? ''))
}
