/** Waits for SIGINT or SIGTERM, and tells which. A second one ends the process at once. */
export function untilSignal(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    let isAsked = false
    const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
      if (isAsked) process.exit(signal === 'SIGINT' ? 130 : 143)
      isAsked = true
      resolve(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
