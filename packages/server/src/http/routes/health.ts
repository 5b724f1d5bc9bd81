import type { Context } from '../../context.ts';
import { publicRoute } from '../answer.ts';

export const getHealthLive = publicRoute(() => ({ json: { status: 'ok' } }));

/**
 * Ready means that an event posted now would be stored and synced: the database answers, workers run, the stored
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

async function checkDatabase(ctx: Context): Promise<'ok' | 'error'> {
  try {
    await ctx.db.query('select 1');
    return 'ok';
  } catch (error) {
    ctx.log.warn({ err: error }, 'readiness: the database did not answer');
    return 'error';
  }
}
