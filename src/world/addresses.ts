import { hash, type Seed } from './chance.ts'
import { refuse } from './Refusal.ts'
import type { Service, World } from './World.ts'

/** Dotted decimal, four parts, no leading zeros. */
export { isIPv4 as isIpv4 } from 'node:net'

/**
 * Generated proxy servers are in 198.18.0.0/16, generated bound addresses in 198.19.0.0/16: the two halves of the range
 * that RFC 2544 reserves for benchmarks, so they never belong to anyone.
 */
const halfRange = 2 ** 16

function address(second: 18 | 19, index: number): string {
  return `198.${second}.${(index >>> 8) & 255}.${index & 255}`
}

/** `count` distinct proxy addresses (at most 65,536) from `index` on, determined by the seed. */
export function proxyAddresses(count: number, seed: Seed, index = 0): string[] {
  const stride = hash([...seed, 'stride']) | 1 // odd, so it covers the whole range before it repeats
  const first = hash([...seed, 'first']) + Math.imul(stride, index)
  const addresses: string[] = []
  for (let i = 0; i < Math.min(count, halfRange); i++)
    addresses.push(address(18, (first + Math.imul(stride, i)) & (halfRange - 1)))
  return addresses
}

/** One proxy address, determined by the seed; 65,536 consecutive ones are distinct. */
export function proxyAddress(seed: Seed, index: number): string {
  return proxyAddresses(1, seed, index)[0] as string
}

/** A client's address to bind a service to, or undefined if all are taken. */
export function boundAddress(seed: Seed, taken: (ip: string) => boolean): string | undefined {
  const first = hash(seed)
  const stride = hash([...seed, 'stride']) | 1 // odd, as above; steps of 1 would run into the same clusters
  for (let i = 0; i < halfRange; i++) {
    const ip = address(19, (first + Math.imul(stride, i)) & (halfRange - 1))
    if (!taken(ip)) return ip
  }
  return undefined
}

/** Gateways of a rotating service. The documentation doesn't say how many there are. */
const gatewaysOfRotating = 5

/**
 * The addresses of a service: explicit ones, or else derived from the seed and the number of updates.
 * @param count how many, if it isn't the usual number
 */
export function ipList(
  { seed }: Pick<World, 'seed'>,
  id: string,
  service: Pick<Service, 'product_type'> & Partial<Pick<Service, 'ip_count' | 'ips' | 'list_version'>>,
  count = sizeOf(service),
): string[] {
  return service.ips ?? proxyAddresses(count, [seed, 'ips', id, 0], firstIndex(service))
}

/** The first of these addresses, without generating the others: there may be 65,536. */
export function firstAddress(world: World, id: string, service: Service): string | undefined {
  return ipList(world, id, service, 1)[0]
}

function sizeOf({ product_type, ip_count = 1 }: Partial<Service>): number {
  return product_type === 'ppr' ? gatewaysOfRotating : ip_count
}

/** An updated list starts after the end of the previous one, so that its addresses differ. */
function firstIndex(service: Partial<Service>): number {
  return (service.list_version ?? 0) * (sizeOf(service) + 1)
}

export type IpListType = 'http-ip' | 'socks-ip' | 'http-auth' | 'ppr-http' | 'ppr-socks'

const types: Record<IpListType, { productType: Service['product_type']; port: number; withLogin: boolean }> =
  {
    'http-ip': { productType: 'fpr', port: 8080, withLogin: false },
    'socks-ip': { productType: 'fpr', port: 1080, withLogin: false },
    'http-auth': { productType: 'fpr', port: 8080, withLogin: true },
    'ppr-http': { productType: 'ppr', port: 8080, withLogin: true },
    'ppr-socks': { productType: 'ppr', port: 1080, withLogin: true },
  }

/** What an entry of a list has */
export type IpListColumn = 'ip' | 'port' | 'username' | 'password'

/** One line of a list: what a proxy client needs. */
export interface IpListEntry {
  ip: string
  port: number
  username?: string
  password?: string
}

/** The documentation shows no layout: assumption `ipListLayout`. */
export function ipListColumns({ assumptions }: World, type: IpListType): IpListColumn[] {
  if (assumptions.ipListLayout === 'addresses') return ['ip']
  return types[type].withLogin ? ['ip', 'port', 'username', 'password'] : ['ip', 'port']
}

/** A service's addresses as a list of the given type. */
export function ipListEntries(world: World, id: string, service: Service, type: IpListType): IpListEntry[] {
  const { productType, port, withLogin } = types[type]
  if (service.product_type !== productType)
    refuse(
      'unprocessable',
      `lists of type ${type} are for ${productType} services; service ${id} is ${service.product_type}`,
    )
  const login = withLogin ? { username: service.username, password: service.password } : {}
  return ipList(world, id, service).map((ip) => ({ ip, port, ...login }))
}

/** An entry in the format that proxy clients take: `ip:port`, or `ip:port:username:password`. */
export function ipListLine(entry: IpListEntry, columns: readonly IpListColumn[]): string {
  return columns.map((column) => entry[column]).join(':')
}

/** The list as CSV (RFC 4180) with a header row. */
export function ipListCsv(entries: readonly IpListEntry[], columns: readonly IpListColumn[]): string {
  const rows = entries.map((entry) => columns.map((column) => csvField(String(entry[column]))).join(','))
  return [columns.join(','), ...rows].map((row) => `${row}\n`).join('')
}

function csvField(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
