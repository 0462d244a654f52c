import type { Contract } from './Contract.ts'
import { loadYaml } from '../lib/onDemand.ts'

/*
 * A contract as served: its server is the origin of the request, so that imports and generated clients reach this
 * simulator. The rest is unchanged.
 */

/** Stands for the origin in cached texts. */
const placeholder = 'http://origin.invalid'

interface ServedTexts {
  yaml: string
  json: string
}

const cache = new WeakMap<Contract, Promise<ServedTexts>>()

/** @param origin such as `http://127.0.0.1:4010` */
export async function servedContract(
  contract: Contract,
  format: keyof ServedTexts,
  origin: string,
): Promise<string> {
  let served = cache.get(contract)
  if (!served) cache.set(contract, (served = renderTexts(contract.source)))
  return (await served)[format].replaceAll(placeholder, () => origin)
}

async function renderTexts(source: string): Promise<ServedTexts> {
  const { parse } = await loadYaml()
  const parsed = parse(source) as object
  const document = { ...parsed, servers: [{ url: placeholder }] }
  const json = JSON.stringify(document, null, 2)
  return { yaml: replaceServers(source), json }
}

/** Replaces the servers of a YAML document, or adds them at its end. */
function replaceServers(source: string): string {
  const servers = `servers:\n  - url: ${placeholder}\n`
  const section = /^servers[ \t]*:.*(?:\r?\n(?:[ \t-].*)?(?=\r?\n|$))*\r?\n?/m
  return section.test(source) ? source.replace(section, `${servers}\n`) : `${source.trimEnd()}\n\n${servers}`
}
