import { json } from '../report/Report.ts'
import { visible } from '../report/visible.ts'

interface PrintOptions {
  /** Whether to keep colours, for reports made by `text`. Other text may come from a foreign server. @default false */
  keepColours?: boolean
}

/** Prints text for people. Control characters are escaped. */
export function print(text: string, options?: PrintOptions): void {
  if (text !== '') process.stdout.write(`${visible(text.replace(/\n+$/, ''), options)}\n`)
}

/** Prints JSON if the flag says so. */
export function printResult(
  flags: { json?: boolean },
  value: unknown,
  text: string | (() => string),
  options?: PrintOptions,
): void {
  if (flags.json) process.stdout.write(visible(json(value)))
  else print(typeof text === 'string' ? text : text(), options)
}

/** Prints a document that is meant for a file. It is escaped only on a terminal. */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY ? visible(text) : text)
}

/** Prints a message on standard error. Standard output is only for results. */
export function printMessage(message: string): void {
  process.stderr.write(`proxysim: ${visible(message)}\n`)
}
