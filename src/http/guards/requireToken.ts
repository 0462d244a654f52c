import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { UserError } from '../../UserError.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * The address to bind to. What others can reach must be guarded: beyond loopback there is no start without a token.
 * A name is looked up once and what it means is bound to, so that nothing else is judged than what is done.
 * @throws UserError
 */
export async function requireToken(host: string, adminToken: string | undefined): Promise<string> {
  const address = isIP(host) ? host : (await lookup(host)).address
  if (adminToken !== undefined || isLoopback(address)) return address
  throw new UserError(
    `The host ${host} can be reached by others, and the control plane would stand open to them. Set a token with --admin-token, or bind to 127.0.0.1.`,
  )
}

function isLoopback(address: string): boolean {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  return loopback.check(mapped ?? address, isIP(mapped ?? address) === 6 ? 'ipv6' : 'ipv4')
}
