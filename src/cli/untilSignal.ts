/** Waits for SIGINT or SIGTERM. A second one ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false
    const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
      if (isAsked) process.exit(signal === 'SIGINT' ? 130 : 143)
      isAsked = true
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
