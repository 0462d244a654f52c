import { useEffect } from 'preact/hooks'

interface Props {
  label: string
  onOpen: (file: File) => void
}

/** Takes a report that is dropped anywhere on the page, or chosen. */
export function ReportFile({ label, onOpen }: Props) {
  useEffect(() => {
    const accept = (event: DragEvent): void => event.preventDefault()
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      const file = event.dataTransfer?.files[0]
      if (file) onOpen(file)
    }
    addEventListener('dragover', accept)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', accept)
      removeEventListener('drop', drop)
    }
  })
  return (
    <label>
      {label}{' '}
      <input
        type="file"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onOpen(file)
        }}
      />
    </label>
  )
}
