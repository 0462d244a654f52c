import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Instruction {
  word: string
  /** With continued lines joined */
  rest: string
}

/** The instructions of the Dockerfile, in order. */
export function instructions(): Instruction[] {
  return readFileSync(`${root}/Dockerfile`, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ word: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1) }))
}

/** The files of a stage: a clean folder that serves as its root. */
export type Stages = Record<string, string>

export interface BuildOptions {
  /** Empty */
  into: string
  run: (line: string, cwd: string) => Promise<void>
}

/**
 * Builds the Dockerfile in folders, one per stage, without a base image. Paths in RUN lines become paths in these
 * folders.
 */
export async function buildImage({ into, run }: BuildOptions): Promise<Stages> {
  const stages: Stages = {}
  let stage = ''
  let workdir = '/'
  const here = (path: string): string => join(stages[stage] ?? '', path)
  for (const { word, rest } of instructions())
    if (word === 'FROM') {
      stage = / AS (?<name>\w+)$/.exec(rest)?.groups?.['name'] ?? 'image'
      stages[stage] = join(into, stage)
      workdir = '/'
      for (const folder of ['app', 'usr/local/bin']) mkdirSync(here(folder), { recursive: true })
    } else if (word === 'WORKDIR') workdir = rest
    else if (word === 'COPY') copy(rest.split(' '), (path) => here(join(workdir, path)), stages)
    else if (word === 'RUN') await run(rest.replaceAll(/(?<= )\/(?=app|usr|data)/g, here('/')), here(workdir))
  return stages
}

function copy(words: readonly string[], here: (path: string) => string, stages: Stages): void {
  const [first = ''] = words
  const from = first.startsWith('--from=') ? stages[first.slice('--from='.length)] : undefined
  const paths = from === undefined ? [...words] : words.slice(1)
  const to = paths.pop() ?? ''
  for (const path of paths.flatMap((named) => (named === '.' ? context() : [named]))) {
    const intoFolder = to.endsWith('/') || to === '.'
    cpSync(join(from ?? root, path), here(intoFolder ? join(to, basename(path)) : to), { recursive: true })
  }
}

/** The files that .dockerignore allows: it ignores everything else. */
function context(): string[] {
  const [all, ...allowed] = readFileSync(`${root}/.dockerignore`, 'utf8').trim().split('\n')
  if (all !== '*' || allowed.some((line) => !line.startsWith('!')))
    throw new Error('.dockerignore is more than a list of what may pass; this must learn to read it.')
  return allowed.map((line) => line.slice(1)).filter((path) => existsSync(join(root, path)))
}
