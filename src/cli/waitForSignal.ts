/** Resolves with the first SIGINT or SIGTERM. A second signal ends the process immediately, with 130 or 143. */
export function waitForSignal(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    let isStopping = false
    const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
      if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143)
      isStopping = true
      resolve(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
