import { onTestFinished, vi } from 'vitest'
import { RedisServer } from './redis.ts'
import { SlowNetwork } from './SlowNetwork.ts'

const often = { interval: 5, timeout: 10_000 }

/** A Redis, its replica, and an address that leads to either, until the end of the test. */
export class RedisPair {
  readonly primary: RedisServer
  readonly standby: RedisServer
  /** Where the simulators go: to the primary until it leads elsewhere */
  readonly address: SlowNetwork

  private constructor(primary: RedisServer, standby: RedisServer, address: SlowNetwork) {
    this.primary = primary
    this.standby = standby
    this.address = address
  }

  static async start(): Promise<RedisPair> {
    const primary = await RedisServer.start('--repl-diskless-sync-delay', '0')
    onTestFinished(() => primary.stop())
    const standby = await RedisServer.start('--replicaof', `127.0.0.1 ${primary.port}`)
    onTestFinished(() => standby.stop())
    const address = await SlowNetwork.start(primary.port)
    onTestFinished(() => address.stop())
    const made = new RedisPair(primary, standby, address)
    await made.follows(standby)
    return made
  }

  /** Waits until one follows the other. */
  async follows(redis: RedisServer): Promise<void> {
    await this.says(redis, 'master_link_status:up')
  }

  /** Waits until it says of its replication what is expected. */
  async says(redis: RedisServer, what: string): Promise<void> {
    await vi.waitUntil(async () => (await replication(redis)).includes(what), often)
  }

  /** Waits until the standby has all that the primary was told. */
  async caughtUp(): Promise<void> {
    const wanted = await offset(this.primary)
    await vi.waitUntil(async () => (await offset(this.standby)) >= wanted, often)
  }

  /** The standby is no replica any more; the address still leads to the primary. */
  async promote(): Promise<void> {
    await this.standby.command('REPLICAOF', 'NO', 'ONE')
  }
}

async function replication(redis: RedisServer): Promise<string> {
  return String(await redis.command('INFO', 'replication'))
}

async function offset(redis: RedisServer): Promise<number> {
  return Number(/master_repl_offset:(\d+)/.exec(await replication(redis))?.[1])
}
