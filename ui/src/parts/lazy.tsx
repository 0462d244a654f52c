import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Skeleton } from './Skeleton.tsx'

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props) {
    const [, setLoaded] = useState(loaded !== undefined)
    useLayoutEffect(() => {
      const show = async () => {
        loaded ??= await load()
        setLoaded(true)
      }
      void show()
    }, [])
    const Component = loaded
    return Component ? <Component {...props} /> : <Skeleton />
  }
}
