import type { Express } from 'express'
import { createServer, IncomingMessage, ServerResponse, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

/**
 * A server, without a listener, that creates requests and responses with Express's prototypes. Express would otherwise
 * replace the prototype of each of them, and V8 then discards its optimizations for their shape (docs/decisions/0007).
 */
export function expressServer(
  app: Express,
  options: ServerOptions,
  tls?: { cert: string; key: string },
): Server {
  const serverOptions = {
    ...options,
    ...tls,
    allowHalfOpen: true, // see `listen`; Node sets this only without TLS
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  }
  // A TLS server also emits all events of a plain one.
  return tls ? createTlsServer(serverOptions) : createServer(serverOptions)
}

type Reserved = Record<`${'a' | 'b' | 'c' | 'd' | 'e'}${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`, number>

/**
 * Gives one of Node's two constructors another prototype. They are plain functions and are called as such, because
 * `Reflect.construct` would cost more than this saves.
 */
function withPrototype<T extends Function>(constructor: T, prototype: object): T {
  // Classes can't be called. If Node ever turns the two into classes, Express replaces the prototypes itself.
  if (String(constructor).startsWith('class')) return constructor
  function Message(this: Reserved, first: unknown, second: unknown): void {
    constructor.call(this, first, second)
    // V8 reserves in-object space for every property that the constructor's source assigns, even in dead code, and later
    // releases what the first objects didn't use. Without that space, the symbol properties that Node adds turn the
    // objects into slow dictionaries. So a branch that never runs assigns more properties than Node and Express set.
    if (typeof first === 'string') {
      this.a0 = this.a1 = this.a2 = this.a3 = this.a4 = this.a5 = this.a6 = this.a7 = this.a8 = this.a9 = 0
      this.b0 = this.b1 = this.b2 = this.b3 = this.b4 = this.b5 = this.b6 = this.b7 = this.b8 = this.b9 = 0
      this.c0 = this.c1 = this.c2 = this.c3 = this.c4 = this.c5 = this.c6 = this.c7 = this.c8 = this.c9 = 0
      this.d0 = this.d1 = this.d2 = this.d3 = this.d4 = this.d5 = this.d6 = this.d7 = this.d8 = this.d9 = 0
      this.e0 = this.e1 = this.e2 = this.e3 = this.e4 = this.e5 = this.e6 = this.e7 = this.e8 = this.e9 = 0
    }
  }
  Message.prototype = prototype
  return Message as unknown as T
}
