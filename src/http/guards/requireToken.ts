import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { UserError } from '../../lib/UserError.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * The address to bind to, which requires a token beyond loopback, as others can reach it then. A name is looked up
 * once, so that the address that was checked is the one that is bound.
 * @throws UserError
 */
export async function requireToken(host: string, adminToken: string | undefined): Promise<string> {
  const address = isIP(host) ? host : await addressOf(host)
  if (adminToken !== undefined || isLoopback(address)) return address
  throw new UserError(
    `The host ${host} can be reached by others, who could use the control plane. Set a token with --admin-token, or bind to 127.0.0.1.`,
  )
}

async function addressOf(host: string): Promise<string> {
  if (host === '') throw new UserError('The host is empty. Use a name or an address: --host 127.0.0.1')
  const found = await lookup(host).catch((cause: NodeJS.ErrnoException) => {
    throw new UserError(
      `The host ${host} is not known (${cause.code}). Use a name or an address of this machine.`,
      { cause },
    )
  })
  return found.address
}

function isLoopback(address: string): boolean {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  return loopback.check(mapped ?? address, isIP(mapped ?? address) === 6 ? 'ipv6' : 'ipv4')
}
