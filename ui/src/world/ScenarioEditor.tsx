import { useEffect, useRef, useState } from 'preact/hooks'
import { fetchAdmin } from '../lib/admin.ts'
import { plural } from '../lib/format.ts'
import { saveFile } from '../lib/saveFile.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { resync } from '../state/live.ts'
import { detailText, refusalOf, tell, type Refusal } from '../state/notices.ts'
import { useReadOnly } from '../state/pastWorld.ts'

type Issue = Refusal['details'][number]

/** What was edited is still there when one comes back to the page. */
let draft: string | undefined

/** Who stops typing for so many milliseconds is told what is wrong. */
const pause = 500

/** The simulator's name for a text that is sent to it */
const posted = '(posted)'

/** The state of all accounts as a scenario, to be edited, exported and replaced. The simulator checks what is typed. */
export function ScenarioEditor() {
  const [text, setText] = useState(draft ?? '')
  const [refusal, setRefusal] = useState<Refusal>()
  const [isChecked, setChecked] = useState(false)
  const isReadOnly = useReadOnly()
  const field = useRef<HTMLTextAreaElement>(null)
  const edit = (to: string | undefined) => {
    draft = to
    setText(to ?? '')
    setRefusal(undefined)
    setChecked(false)
  }
  const readState = async () => {
    const failed = await refusalOf(async () => {
      edit(undefined)
      const reply = await fetchAdmin('/scenario', { headers: { accept: 'application/yaml' } })
      setText(await reply.text())
    })
    if (failed) setRefusal(failed)
  }
  useEffect(() => {
    if (draft === undefined) void readState()
  }, [])

  useEffect(() => {
    if (draft === undefined || isChecked) return undefined
    let isLeft = false
    const check = async () => {
      const wrong = await put('/scenario?check=true', text)
      if (isLeft) return
      setRefusal(wrong)
      setChecked(true)
    }
    const timer = setTimeout(() => void check(), pause)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [text, isChecked])

  const load = async () => {
    const wrong = await put('/scenario', text)
    setRefusal(wrong)
    if (wrong) return
    draft = undefined
    await resync()
    tell('done', 'The scenario is loaded.', { undo: true })
  }
  const open = async (file: File | undefined) => {
    if (file) edit(await file.text())
  }
  return (
    <div class="scenario-editor">
      <div class="actions">
        <ActionButton class="primary" disabled={isReadOnly || draft === undefined} action={load}>
          Load this
        </ActionButton>
        <button type="button" onClick={() => void readState()}>
          Read the state again
        </button>
        <button type="button" onClick={() => saveFile('scenario.yaml', text)}>
          Export
        </button>
        <label class="button">
          Import
          <input
            class="unseen"
            type="file"
            accept=".yaml,.yml,.json"
            onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
          />
        </label>
        <span role="status" class="muted">
          {isReadOnly
            ? 'the state of all accounts now, not at that request'
            : draft === undefined
              ? 'the state of all accounts, as a scenario'
              : refusal
                ? plural(Math.max(1, refusal.details.length), 'mistake')
                : isChecked
                  ? 'can be loaded'
                  : 'checking…'}
        </span>
      </div>
      {refusal && (
        <div class="callout callout-broken">
          {refusal.details.length === 0 && <p>{refusal.text}</p>}
          <ul>
            {refusal.details.map((issue) => (
              <li key={detailText(issue)}>
                {lineOf(issue) === undefined ? (
                  issueText(issue)
                ) : (
                  <button
                    type="button"
                    class="link"
                    onClick={() => field.current && goTo(field.current, issue)}
                  >
                    {issueText(issue)}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      <NumberedText
        field={field}
        value={text}
        wrong={refusal?.details.flatMap((issue) => lineOf(issue) ?? []) ?? []}
        onInput={edit}
      />
      <p class="muted">
        What is checked is what <code>scenario.schema.json</code> says, and the rules of the world. Editors
        that know YAML complete and check it too, with{' '}
        <code># yaml-language-server: $schema=…/scenario.schema.json</code> as the first line.
      </p>
    </div>
  )
}

/** Sends a scenario. @returns why it was refused */
async function put(path: string, text: string): Promise<Refusal | undefined> {
  if (text.trim() === '') return { text: 'The editor is empty.', details: [] }
  return refusalOf(() =>
    fetchAdmin(path, { method: 'PUT', headers: { 'content-type': 'application/yaml' }, body: text }),
  )
}

/** Whether an issue is in a file that the text extends or includes. */
function isElsewhere({ file }: Issue): boolean {
  return file !== undefined && file !== posted
}

/** The line of the text that an issue is in; undefined where there is none. */
function lineOf(issue: Issue): number | undefined {
  return isElsewhere(issue) ? undefined : issue.line
}

/** `Line 3, column 4: …`; `base.yaml:3:4: …` where it is in another file. */
function issueText(issue: Issue): string {
  const { file, line, column } = issue
  const [prefix, place] = isElsewhere(issue)
    ? [file, `:${line}:${column}`]
    : ['', `Line ${line}, column ${column}`]
  return [`${prefix}${line === undefined ? '' : place}`, detailText(issue)].filter(Boolean).join(': ')
}

interface NumberedTextProps {
  field: { current: HTMLTextAreaElement | null }
  value: string
  /** Lines that something is wrong in */
  wrong: readonly number[]
  onInput: (text: string) => void
}

/** A text with the numbers of its lines. */
function NumberedText({ field, value, wrong, onInput }: NumberedTextProps) {
  const numbers = useRef<HTMLDivElement>(null)
  const count = value.split('\n').length
  return (
    <div class="numbered">
      <div class="numbers" ref={numbers} aria-hidden="true">
        {/* One text for all: an element each would be slow for thousands of lines. */}
        <pre>{Array.from({ length: count }, (_, i) => i + 1).join('\n')}</pre>
        {wrong.map((line) => (
          <span key={line} style={{ top: `${(line - 1) * lineHeight + padding}px` }} />
        ))}
      </div>
      <textarea
        ref={field}
        aria-label="Scenario, YAML"
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop
        }}
      />
    </div>
  )
}

/** As in the stylesheet */
const lineHeight = 19
const padding = 8

function goTo(field: HTMLTextAreaElement, { line = 1, column = 1 }: Issue): void {
  const before = field.value.split('\n').slice(0, line - 1)
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
  field.focus()
  field.setSelectionRange(at, at)
  field.scrollTop = Math.max(0, (line - 4) * lineHeight)
}
