/** Why something was refused, under the field that it was entered in. */
export function Refused({ id, reason }: { id: string; reason: string }) {
  return (
    <span class="refused" role="alert" id={id}>
      {reason}
    </span>
  )
}
