import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Colours text if the stream supports it: a terminal, unless NO_COLOR or FORCE_COLOR say otherwise. */
export function painter(stream: NodeJS.WriteStream): (format: Format, text: string) => string {
  return (format, text) => styleText(format, text, { stream })
}
