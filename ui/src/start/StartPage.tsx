import { Start } from './Start.tsx'

export function StartPage() {
  return (
    <>
      <h1>Getting started</h1>
      <p class="lead">
        A stateful stand-in for the Proxy Reselling Service API. Point your client at it, and watch.
      </p>
      <Start />
    </>
  )
}
