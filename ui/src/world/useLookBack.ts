import { useEffect, useMemo, useState } from 'preact/hooks'
import { SimulatorError } from '../../../src/client/SimulatorError.ts'
import { admin } from '../lib/admin.ts'
import type { JournalEntry, WorldView } from '../lib/types.ts'
import { rewind } from '../state/change.ts'
import { useApp } from '../state/store.ts'

/** A moment of the chosen account's past that the page looks at, if any. */
export interface LookBack {
  /** The account's requests that met a world, the oldest first */
  entries: readonly JournalEntry[]
  /** The request before which it looks; undefined: now */
  chosen: JournalEntry | undefined
  choose: (entry: JournalEntry | undefined) => void
  /** Makes that moment the present one, and looks at it. */
  goBack: () => Promise<void>
  /** The world just before it; until that is read, of the moment that was looked at before */
  past: WorldView | undefined
  isRead: boolean
  /** Why it cannot be shown */
  refusal: string | undefined
}

interface Read {
  of: JournalEntry
  past?: WorldView
  refusal?: string
}

/** Who moves on within this many milliseconds does not look. */
const pause = 120

export function useLookBack(): LookBack {
  const account = useApp((state) => state.account)
  const all = useApp((state) => state.entries)
  const [asked, choose] = useState<JournalEntry>()
  const [read, setRead] = useState<Read>()
  const entries = useMemo(
    () => all.filter((entry) => entry.account === account && entry.version !== null).toReversed(),
    [all, account],
  )
  // The journal may have been read anew, or have dropped it.
  const chosen = asked && entries.find(({ id, time }) => id === asked.id && time === asked.time)
  const id = chosen?.id
  useEffect(() => {
    if (!chosen) {
      setRead(undefined)
      return undefined
    }
    let isLeft = false
    const look = async () => {
      const result = await readPast(chosen)
      if (!isLeft) setRead(result)
    }
    const timer = setTimeout(() => void look(), pause)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [id, chosen?.time])
  const goBack = async () => {
    if (!chosen) return
    if (await rewind(chosen)) choose(undefined)
    else setRead(await readPast(chosen)) // it may be beyond reach by now
  }
  const isRead = chosen !== undefined && read?.of.id === chosen.id && read.of.time === chosen.time
  return {
    entries,
    chosen,
    choose,
    goBack,
    past: chosen && read?.of.account === chosen.account ? read.past : undefined,
    isRead,
    refusal: isRead ? read.refusal : undefined,
  }
}

async function readPast(of: JournalEntry): Promise<Read> {
  try {
    const { scenario } = await admin<{ scenario: { accounts: Record<string, WorldView> } }>(
      'GET',
      `/requests/${of.id}/repro`,
    )
    const past = scenario.accounts[of.account ?? '']
    return past ? { of, past } : { of, refusal: `Request ${of.id} met no world.` }
  } catch (error) {
    const refusal =
      error instanceof SimulatorError
        ? error.message
        : `The simulator does not answer (${(error as Error).message}).`
    return { of, refusal }
  }
}
