/** The doctor's check of channels that alerts do not reach: nobody would notice otherwise that they are silent. */
import { type AlertChannelRow, listAlertChannels } from '@svc/engine/store/alerts';
import type { AdminContext } from '../implemented/operation.ts';
import { type Check, warn } from './check.ts';

/** Returns one line for each channel whose last alert was given up, or whose URL is lost. */
export async function checkAlertChannels({ db }: Pick<AdminContext, 'db'>): Promise<Check[]> {
  const channels = await listAlertChannels(db);
  return channels.filter(({ isUsable, failedAt }) => !isUsable || failedAt !== null).map(toProblem);
}

function toProblem({ id, kind, place, isUsable, lastError }: AlertChannelRow): Check {
  const problem = isUsable ? `its last alert could not be sent: ${lastError}` : 'its URL cannot be decrypted any more';
  const fix = `Mend it (${kind === 'mail' ? `svc-server alerts update ${id} --to ADDRESS` : `svc-server alerts set-url ${id}`}), then svc-server alerts test ${id}.`;
  return warn('alert channel', `${id} (${kind}, ${place}): ${problem}`, fix);
}
