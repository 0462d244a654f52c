/** `1 survives`, `2 survive`, `2 harm`. */
export function countedVerdict(count: number, verdict: string): string {
  return `${count} ${count === 1 ? verdict : verdict.replace(/^(survive|fail)s$/, '$1')}`
}
