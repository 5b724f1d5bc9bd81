/** The rows of the scenario `large`, generated once and shared by all worlds. */
import { createRandom } from '@svc/domain/values/random';
import type { SyncRow } from '@svc/domain/world';
import { nextLogId } from './ids.ts';
import { allRows, createLog, type Log } from './log.ts';
import type { WorldData } from './world-data.ts';

const ROWS = 100_000;
const SPAN_MS = 30 * 86_400_000;
/** The rows end at the last full hour, so that worlds created within an hour share them. */
const STEP_MS = 3_600_000;
const EVENT_TYPES = ['EMAIL_SENT', 'EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_REPLY', 'MESSAGE_SENT', 'EMAIL_LINK_CLICK'];
const REFUSED = { code: 'crm_refused', message: 'The CRM refused a property', httpStatus: 400 };

interface Place {
  readonly connectionId: number;
  readonly sourceId: number;
  readonly platform: string;
}

/** The input that determines the rows. */
interface Plan {
  readonly accountId: number;
  readonly places: readonly Place[];
  readonly firstId: number;
  readonly endMs: number;
}

/** Returns the world's syncs plus 100,000 on the API-enabled connections of its first account. */
export function largeSyncs(data: WorldData, now: Date): Log<SyncRow> {
  const [account] = data.accounts;
  const places = data.sources.flatMap(({ id: sourceId, platform, connectionId }) => {
    const connection = data.connections.find(({ id }) => id === connectionId);
    const isMeant = connection?.canUseApi === true && connection.accountId === account?.id;
    return isMeant ? [{ connectionId, sourceId, platform }] : [];
  });
  if (account === undefined || places.length === 0) return data.syncs;
  const endMs = Math.floor(now.getTime() / STEP_MS) * STEP_MS;
  return withRows(data.syncs, { accountId: account.id, places, firstId: nextLogId(data.syncs), endMs });
}

/** Caches the rows of the last plan, and the log for each log they were added to. */
let made: {
  readonly key: string;
  readonly rows: readonly SyncRow[];
  readonly logs: WeakMap<object, Log<SyncRow>>;
} | null = null;

function withRows(syncs: Log<SyncRow>, plan: Plan): Log<SyncRow> {
  const key = JSON.stringify(plan);
  if (made?.key !== key) made = { key, rows: makeRows(plan), logs: new WeakMap() };
  const { rows, logs } = made;
  let log = logs.get(syncs);
  if (log === undefined) {
    log = createLog([...allRows(syncs), ...rows]);
    logs.set(syncs, log);
  }
  return log;
}

function makeRows({ accountId, places, firstId, endMs }: Plan): SyncRow[] {
  const draw = createRandom(1);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(draw() * items.length)];
  return Array.from({ length: ROWS }, (_, index): SyncRow => {
    const { connectionId, sourceId, platform } = pick(places) ?? { connectionId: 0, sourceId: 0, platform: '' };
    const roll = draw();
    const status = roll < 0.94 ? 'success' : roll < 0.97 ? 'warning' : 'error';
    return {
      id: firstId + index,
      accountId,
      connectionId,
      sourceId,
      payloadId: null,
      status,
      eventType: pick(EVENT_TYPES) ?? 'EMAIL_SENT',
      toEmail: `contact-${Math.floor(draw() * 20_000)}@large.example.org`,
      platform,
      error: status === 'success' ? null : REFUSED,
      createdAt: new Date(endMs - SPAN_MS + Math.floor((SPAN_MS * index) / ROWS)),
    };
  });
}
