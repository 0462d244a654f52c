import { Start } from './Start.tsx'

export function StartPage() {
  return (
    <>
      <h1>Getting started</h1>
      <p class="lead">
        The simulator stands in for the Proxy Reselling Service API and keeps real state between requests.
        Point your client at it, and watch.
      </p>
      <Start />
    </>
  )
}
