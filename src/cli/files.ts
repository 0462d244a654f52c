import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { junit } from '../report/junit.ts'
import { markdown } from '../report/markdown.ts'
import { json, type Report } from '../report/Report.ts'
import { visible } from '../report/visible.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { exceededBound } from '../scenario/bounds.ts'
import { toYaml } from '../scenario/toYaml.ts'
import { replaceFile } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { systemReason } from '../store/StorageError.ts'
import { ExitCode } from './ExitCode.ts'
import { printMessage } from './output.ts'

/** A mark with the digest of the rest of the file. It shows whether the file was edited after a command wrote it. */
const markPattern = /written by proxysim, digest ([0-9a-f]{16})/
const emptyMark = 'written by proxysim, digest 0000000000000000'

/** Returns the digest of a marked text. */
function digest(text: string): string {
  return createHash('sha256').update(text.replace(markPattern, emptyMark)).digest('hex').slice(0, 16)
}

/** Adds the mark to a text: a comment, in JSON the field `$comment`, in HAR the comment of its creator. */
export function withMark(text: string, file: string): string {
  const extension = extname(file)
  const marked =
    extension === '.har'
      ? text.replace(/("creator": \{\s*"name": "proxysim",)/, `$1 "comment": "${emptyMark}",`)
      : extension === '.json'
        ? text.replace(/\n\}\n$/, `,\n  "$comment": "${emptyMark}"\n}\n`)
        : /^\.ya?ml$/.test(extension)
          ? `${text}# ${emptyMark}\n`
          : `${text}<!-- ${emptyMark} -->\n`
  return marked.replace(emptyMark, emptyMark.replace('0000000000000000', digest(marked)))
}

/** Whether a file can be replaced: there is none, it is no regular file, or we wrote it and not a byte of it was changed. */
function isReplaceable(file: string): boolean {
  let text: string
  try {
    if (!statSync(file).isFile()) return true
    const bytes = readFileSync(file)
    if (!isUtf8(bytes)) return false
    text = bytes.toString()
  } catch (error) {
    // Whether a new file can be written shows when it is written, after the result.
    return (error as NodeJS.ErrnoException).syscall === 'stat'
  }
  return markPattern.exec(text)?.[1] === digest(text)
}

/** @throws UserError if a file has another origin, or was edited */
export function requireReplaceable(files: readonly string[], isForced = false): void {
  for (const file of isForced ? [] : files)
    if (!isReplaceable(file))
      throw new UserError(`${file} exists, and proxysim didn't write it or it was edited since.`, {
        advice: 'Write to another file, or add --force to replace it.',
      })
}

function cannotWrite(file: string, cause: unknown): UserError {
  return new UserError(`Can't write ${file} (${systemReason(cause)}).`, { cause })
}

/**
 * Writes a file with our mark, as a whole or not at all, creating its folder if necessary.
 * @throws UserError that names the file, also if it exists and may not be replaced
 */
export async function write(file: string, text: string, isForced?: boolean): Promise<void> {
  requireReplaceable([file], isForced)
  try {
    await replaceFile(file, withMark(text, file))
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** Report renderers by file extension. */
export const renderers = {
  '.md': markdown,
  '.json': ({ data }: Report) => json(data),
  '.xml': junit,
}

/**
 * Writes a file beside a result that is already printed. A failure is only reported, and the exit code becomes 2 if it is 0.
 * @returns whether it was written
 */
export async function writeSideFile(
  file: string,
  render: () => string | Promise<string>,
  isForced?: boolean,
): Promise<boolean> {
  try {
    await write(file, await render(), isForced)
    return true
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    printMessage(error.message)
    process.exitCode ||= ExitCode.couldNotRun
    return false
  }
}

/** Writes reports beside the result that is already printed, each in the format of its file extension. */
export async function writeReports(
  files: readonly string[],
  report: Report,
  { force, more = {} }: { force?: boolean | undefined; more?: Readonly<Record<string, () => string>> } = {},
): Promise<void> {
  const all: Readonly<Record<string, (report: Report) => string>> = { ...renderers, ...more }
  for (const file of files) await writeSideFile(file, () => all[extname(file)]?.(report) ?? '', force)
}

/**
 * Renders a scenario as JSON if the file's name ends in `.json`, otherwise as YAML.
 * @throws UserError if it would be too large to load
 * @param call command that repeats the request; a comment in YAML, omitted from JSON
 */
export async function renderScenario(
  scenario: ScenarioDocument,
  file: string,
  call?: string,
): Promise<string> {
  const comment =
    call === undefined ? '' : `# ${visible(call.replaceAll('\r', '\\r')).replaceAll('\n', '\n# ')}\n`
  const text = file.endsWith('.json') ? json(scenario) : comment + (await toYaml(scenario))
  const bound = exceededBound(scenario, text)
  if (bound === undefined) return text
  throw new UserError(`${file || 'The scenario'} would be too large to load: ${bound}.`)
}

interface ScenarioFileOptions {
  /** Command that repeats the request, for a comment */
  call?: string
  force?: boolean | undefined
}

/** Writes a scenario to a file. @throws UserError that names the file */
export async function writeScenario(
  file: string,
  scenario: ScenarioDocument,
  { call, force }: ScenarioFileOptions = {},
): Promise<void> {
  await write(file, await renderScenario(scenario, file, call), force)
}
