import { admin, forAccount } from '../lib/admin.ts'
import { faultCount, faultWords, isUsedUp } from '../lib/faults.ts'
import type { World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { attempt } from '../state/actions.ts'
import { getState, useApp } from '../state/store.ts'
import { syncAccount } from '../state/sync.ts'
import { ChooseAccount } from './AccountMenus.tsx'
import { FaultForm } from './FaultForm.tsx'

const none: World['faults'] = []

/** Amber while any fault can still strike. */
export function FaultMenu() {
  const faults = useApp((state) => state.world?.faults)
  const elsewhere = useApp(({ accounts }) => accounts.filter(({ faults: count }) => count > 0).length)
  const active = faults?.filter((fault) => !isUsedUp(fault)).length ?? 0
  const label = faults
    ? `${active === 0 ? 'no' : active} ${active === 1 ? 'fault' : 'faults'}`
    : `faults in ${elsewhere} ${elsewhere === 1 ? 'account' : 'accounts'}`
  const isActive = faults ? active > 0 : elsewhere > 0
  return (
    <Menu name="faults" title="Faults" width={460} class={isActive ? 'chip tone-warn' : 'chip'} label={label}>
      {faults ? <Faults /> : <ChooseAccount why="Each account has its own faults." />}
    </Menu>
  )
}

/** Misbehaviour on purpose: what is active, and the form for another. */
function Faults() {
  const account = useApp((state) => state.account)
  const faults = useApp((state) => state.world?.faults ?? none)
  const draft = useApp((state) => state.faultDraft)
  return (
    <>
      <div class="menu-head">
        <h2>Faults</h2>
        {faults.length > 1 && (
          <Button class="small" action={() => removeFaults('/faults', faults, 'All faults removed.')}>
            Remove all
          </Button>
        )}
      </div>
      {faults.length === 0 && <p class="muted">No active faults.</p>}
      <Lines
        label="Faults"
        lines={faults.map((fault) => ({
          key: fault.id,
          text: `${faultWords(fault)} (${isUsedUp(fault) ? 'used up, ' : ''}${faultCount(fault)})`,
          button: 'Remove',
          label: `Remove fault ${fault.id}`,
          action: () => removeFaults(`/faults/${fault.id}`, [fault], `Fault ${fault.id} removed.`),
          isMuted: isUsedUp(fault),
        }))}
      />
      <FaultForm key={`${account} ${JSON.stringify(draft)}`} draft={draft} />
    </>
  )
}

/** Removes faults; Undo adds them again, with their counters. */
function removeFaults(path: string, removed: World['faults'], done: string): Promise<boolean> {
  const account = forAccount(getState().account)
  const undo = () =>
    attempt(async () => {
      for (const { spent, ...fault } of removed) await admin('POST', `/faults${account}`, fault)
      await syncAccount()
    }, 'Undone.')
  return attempt(
    async () => {
      await admin('DELETE', path + account)
      await syncAccount()
    },
    done,
    { undo },
  )
}
