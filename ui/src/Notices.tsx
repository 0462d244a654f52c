import { dismiss } from './state/notices.ts'
import { useApp } from './state/store.ts'

/** What went well or was refused, told at the bottom of the page. */
export function Notices() {
  const notices = useApp((state) => state.notices)
  return (
    <div class="notices" aria-live="polite" role="status">
      {notices.map(({ id, kind, text, details }) => (
        <div key={id} class={`notice notice-${kind}`}>
          <div>
            <p>{text}</p>
            {details.length > 0 && (
              <ul>
                {details.map((detail) => (
                  <li key={detail}>{detail}</li>
                ))}
              </ul>
            )}
          </div>
          <button type="button" class="small quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
