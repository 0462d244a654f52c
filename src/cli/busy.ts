/** Shows on a terminal that something takes a while. @returns clears the message */
export function busy(text: string): () => void {
  const { stderr } = process
  if (!stderr.isTTY) return () => {}
  stderr.write(`${text} …`)
  return () => void stderr.write('\r\u001B[K')
}
