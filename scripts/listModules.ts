/** Lists the modules in the output of rolldown. */
export function listModules(output: readonly { type: string; moduleIds?: string[] }[]): string[] {
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}
