import { Button } from './parts/Button.tsx'
import { dismiss } from './state/actions.ts'
import { useApp } from './state/store.ts'

/** The latest toast, in a row of its own below the page, so that it covers nothing. */
export function ToastLine() {
  const toast = useApp((state) => state.toast)
  return (
    <footer class={`foot ${toast ? (toast.kind === 'done' ? 'tone-good' : 'tone-bad') : ''}`}>
      <div class="toast" role="status">
        {toast && (
          <>
            <div>
              <b>{toast.text}</b>
              {toast.details.length > 0 && (
                <ul>
                  {toast.details.slice(0, 6).map((detail) => (
                    <li key={detail}>{detail}</li>
                  ))}
                  {toast.details.length > 6 && <li>and {toast.details.length - 6} more</li>}
                </ul>
              )}
            </div>
            {toast.undo && (
              <Button class="small" action={toast.undo}>
                Undo
              </Button>
            )}
            <button type="button" class="small quiet" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
              ✕
            </button>
          </>
        )}
      </div>
    </footer>
  )
}
