import { version } from '../version.ts'
import { recorderName } from './readHar.ts'

/** What comes before and after the entries of an archive. */
export const harFrame = {
  head: `{"log":{"version":"1.2","creator":${JSON.stringify({ name: recorderName, version, comment: 'Passwords, user names, addresses and anything that is not in the contract are stand-ins.' })},"entries":[`,
  tail: '\n]}}\n',
}
