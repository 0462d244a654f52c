import compression from 'compression'

/** Event streams aren't compressed, so that events are sent immediately. */
const texts = /^(?:text\/(?!event-stream)|application\/(?:json|yaml|javascript|xml)\b|image\/svg)/

/** Compresses texts beyond 1 KB if the client accepts it. */
export const compressed = compression({
  filter: (_req, res) => texts.test(String(res.getHeader('content-type'))),
})
