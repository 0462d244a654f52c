import type { Express } from 'express'
import { createServer, IncomingMessage, ServerResponse, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A server whose requests and responses are born as those of the application. Express replaces the prototype of each
 * of them, which makes the engine forget what it had learned about their shape: with prototypes that already are
 * right, nothing is replaced. Node's two constructors are functions, and are called as such: `Reflect.construct`
 * would cost more than it saves (docs/decisions/0007).
 */
export function expressServer(app: Express, options: ServerOptions): Server {
  if (isClass(IncomingMessage) || isClass(ServerResponse)) return createServer(options, app)

  function AppRequest(this: IncomingMessage, socket: Socket): void {
    ;(IncomingMessage as unknown as (this: IncomingMessage, socket: Socket) => void).call(this, socket)
  }
  AppRequest.prototype = app.request
  function AppResponse(this: ServerResponse, ...args: ConstructorParameters<typeof ServerResponse>): void {
    const construct = ServerResponse as unknown as (this: ServerResponse, ...args: unknown[]) => void
    construct.call(this, ...args)
  }
  AppResponse.prototype = app.response
  return createServer(
    {
      ...options,
      IncomingMessage: AppRequest as unknown as typeof IncomingMessage,
      ServerResponse: AppResponse as unknown as typeof ServerResponse,
    },
    app,
  )
}

/** A class can't be called; a Node that makes these two classes gets Express's own way. */
function isClass(constructor: unknown): boolean {
  return String(constructor).startsWith('class')
}
