import { ActionButton } from './parts/ActionButton.tsx'
import { undo } from './state/change.ts'
import { dismiss } from './state/notices.ts'
import { useApp } from './state/store.ts'

/** What went well or was refused last, told at the bottom of the page. */
export function Notices() {
  const notice = useApp((state) => state.notice)
  return (
    <div class="notices" role="status">
      {notice && (
        <div key={notice.id} class={`notice notice-${notice.kind}`}>
          <div>
            <p>{notice.text}</p>
            {notice.details.length > 0 && (
              <ul>
                {notice.details.map((detail) => (
                  <li key={detail}>{detail}</li>
                ))}
              </ul>
            )}
          </div>
          {notice.undo && (
            <ActionButton class="small" action={undo}>
              Undo
            </ActionButton>
          )}
          <button type="button" class="small quiet" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
            ✕
          </button>
        </div>
      )}
    </div>
  )
}
