import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import type { Db } from '@svc/engine/store/database/db';
import { getReceiptToProcess } from '@svc/engine/store/receipts';
import type { NormalizeInput } from '@svc/sequencers';
import { AdminError, conflict } from './admin-error.ts';

/** Returns a stored request as adapters and mappings read it. @throws AdminError when the source did not receive it, or its body is gone */
export async function readReceipt(db: Db, sourceId: number, requestId: number): Promise<NormalizeInput> {
  const receipt = await getReceiptToProcess(db, requestId);
  if (receipt?.source?.id !== sourceId) {
    const message = `Source ${sourceId} received no request ${requestId}: svc-server requests list --source ${sourceId} shows its requests.`;
    throw new AdminError('not_found', message);
  }
  const { body, headers, bodySha256 } = receipt;
  if (body === null) throw conflict(`The body of request ${requestId} is no longer stored.`);
  const parsed = parseReceivedBody(body.toString('utf8'), headers['content-type']);
  return { headers, body: parsed, bodyHash: bodySha256 ?? '' };
}
