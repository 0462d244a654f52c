import type { Command } from 'commander'
import { parseJson } from '../../lib/json.ts'
import { readText } from '../../lib/files.ts'
import { UserError } from '../../lib/UserError.ts'
import { printDocument } from '../../cli/output.ts'
import { asArray, asObject, type Contract } from '../../contract/Contract.ts'
import type { AssumptionVerdict } from '../calibration/Calibration.ts'
import type { OpenAssumption } from '../calibration/probeScript.ts'

const help = `
The script needs sh and curl. Read it before you run it against the real service, through the recorder: some calls change
state, and an order costs money. Each call is labeled, and the cheapest come first. It calls PROXYSIM_URL, or else
http://127.0.0.1:4011, where \`proxysim record\` listens. Set HIDDEN to the id of a product that no list shows, or
hiddenProducts may stay undecided.

Examples:
  proxysim probe > probe.sh
  proxysim record --target https://real.example --output real.har
  PROXYSIM_LOGIN=me PROXYSIM_PASSWORD=... sh probe.sh
  proxysim calibrate real.har --json > found.json && proxysim probe --after found.json`

interface Flags {
  after?: string
}

export function probe(command: Command): Command {
  return command
    .option('--after <file>', 'only assumptions that `calibrate --json` left undecided')
    .addHelpText('after', help)
    .action(run)
}

async function run({ after }: Flags): Promise<void> {
  const { loadContract } = await import('../../contract/loadContract.ts')
  const { probeScript } = await import('../calibration/probeScript.ts')
  const loaded = await loadContract()
  const open = after === undefined ? undefined : await readOpen(after, loaded)
  printDocument(probeScript(loaded, open))
}

const verdicts: readonly unknown[] = [
  'holds',
  'other',
  'contradicts',
  'undecided',
] satisfies AssumptionVerdict[]

/** Reads the assumptions that aren't settled. @throws UserError if the file isn't the output of `calibrate --json` */
async function readOpen(file: string, contract: Contract): Promise<OpenAssumption[]> {
  const assumptions = asArray(asObject(parseJson(await readText(file)))['assumptions']).map(asObject)
  if (assumptions.length === 0 || !assumptions.every(({ verdict }) => verdicts.includes(verdict)))
    throw new UserError(`The file ${file} is not the output of \`proxysim calibrate --json\`.`)
  const unknown = assumptions.find(({ id }) => !contract.assumptions.some((one) => one.id === id))
  if (unknown)
    throw new UserError(
      `The file ${file} is not the output of \`proxysim calibrate --json\` with this contract, which has no assumption ${JSON.stringify(unknown['id'])}.`,
    )
  return assumptions.flatMap(({ id, verdict, needs }): OpenAssumption[] => {
    if (verdict === 'contradicts')
      return [{ id: String(id), reason: 'no interpretation reproduces the recording' }]
    if (verdict !== 'undecided') return []
    const all = asArray(needs).map(asObject)
    const reason = all[0]?.['reason']
    const calls = all.map(({ call }) => String(call))
    return [{ id: String(id), ...(typeof reason === 'string' ? { reason } : { needs: calls }) }]
  })
}
