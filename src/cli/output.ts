import { json, type Line } from '../report/Report.ts'
import { lineText } from '../report/text.ts'
import { visible } from '../report/visible.ts'

/** Prints text for people, whatever it contains. */
export function print(text: string): void {
  if (text !== '') process.stdout.write(`${visible(text.replace(/\n+$/, ''), { keepColours: true })}\n`)
}

/** Prints JSON if the flag says so. */
export function printResult(flags: { json?: boolean }, value: unknown, text: string | (() => string)): void {
  if (flags.json) process.stdout.write(visible(json(value)))
  else print(typeof text === 'string' ? text : text())
}

/** Prints a document that is meant for a file: unchanged, unless a person sees it. */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? visible(text) : text)
}

/** A message on standard error, which leaves standard output to the result. */
export function say(message: string): void {
  process.stderr.write(`proxysim: ${visible(message)}\n`)
}

/** Tells on standard error what each run of a command came to. @returns tells the next */
export function progressOf(): (name: string, outcome: Line, durationMs: number, all: number) => void {
  const { stderr } = process
  let done = 0
  return (name, outcome, durationMs, all) => {
    const head = `[${String(++done).padStart(String(all).length)}/${all}]`
    stderr.write(`${head} ${name} ${lineText(outcome, stderr)} (${(durationMs / 1000).toFixed(1)} s)\n`)
  }
}
