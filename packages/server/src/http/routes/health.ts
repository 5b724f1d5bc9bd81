import type { Context } from '@svc/engine/context';
import { within } from '@svc/engine/runtime/within';
import { publicRoute } from '../answer.ts';

export const getHealthLive = publicRoute(() => ({ json: { status: 'ok' } }));

/**
 * Ready means that an event posted now would be stored and synced: the database answers and takes writes, workers run, the stored
 * secrets can be decrypted, and the clock is right.
 */
export const getHealthReady = publicRoute(async (ctx) => {
  const checks = {
    database: await checkStorage(ctx),
    // Without workers here, the events wait for those of other processes.
    queue: !ctx.roles.has('worker') || ctx.areWorkersRunning() ? 'ok' : 'error',
    secrets: ctx.areSecretsReadable() ? 'ok' : 'error',
    ...(!ctx.isClockRight() && { clock: 'error' }),
    ...(ctx.isStopping() && { stopping: 'error' }),
  };
  const isReady = Object.values(checks).every((check) => check === 'ok');
  return {
    status: isReady ? 200 : 503,
    json: { status: isReady ? 'ok' : 'error', checks: ctx.hidesHealthChecks ? {} : checks },
  };
});

/** A process that only receives posts does so without the database while the ingest buffer takes them. */
async function checkStorage(ctx: Context): Promise<'ok' | 'error'> {
  const onlyReceives = ctx.roles.size === 1 && ctx.roles.has('inbound');
  return onlyReceives && ctx.ingest?.canBuffer() === true ? 'ok' : checkDatabase(ctx);
}

/** Less than a probe waits. */
const DATABASE_TIMEOUT_MS = 2_000;

async function checkDatabase({ clock, log, storage }: Context): Promise<'ok' | 'error'> {
  try {
    const late = () => new Error(`The database did not answer within ${DATABASE_TIMEOUT_MS} ms.`);
    await within(clock, DATABASE_TIMEOUT_MS, storage.check(), late);
    return 'ok';
  } catch (error) {
    log.warn({ err: error }, 'readiness: the database does not answer, or takes no writes');
    return 'error';
  }
}
