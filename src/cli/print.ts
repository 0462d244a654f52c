export function print(flags: { json?: boolean }, value: unknown, text: string | (() => string)): void {
  const shown = flags.json ? JSON.stringify(value, null, 2) : typeof text === 'string' ? text : text()
  if (shown !== '') process.stdout.write(`${shown.replace(/\n+$/, '')}\n`)
}
