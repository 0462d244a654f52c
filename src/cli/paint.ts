import { styleText } from 'node:util'
import type { WriteStream } from 'node:tty'

type Format = Parameters<typeof styleText>[0]

/** Colours text for a stream that shows colours: a terminal, unless NO_COLOR says otherwise. */
export function painter(stream: NodeJS.WriteStream): (format: Format, text: string) => string {
  // Piped, it is no tty.WriteStream, whatever its type says.
  const hasColors = (stream as Partial<WriteStream>).hasColors?.() ?? false
  return (format, text) => (hasColors ? styleText(format, text) : text)
}
