import type { Context } from '../../context.ts';
import { publicRoute } from '../answer.ts';

export const getHealthLive = publicRoute(() => ({ json: { status: 'ok' } }));

/**
 * Ready means that an event posted now would be stored and synced: the database answers, workers run, and the stored
 * secrets can be decrypted.
 */
export const getHealthReady = publicRoute(async (ctx) => {
  const checks = {
    database: await checkDatabase(ctx),
    // Without workers here, the events wait for those of other processes.
    queue: !ctx.roles.has('worker') || ctx.areWorkersRunning() ? 'ok' : 'error',
    secrets: ctx.areSecretsReadable() ? 'ok' : 'error',
  };
  const isReady = Object.values(checks).every((check) => check === 'ok');
  return {
    status: isReady ? 200 : 503,
    json: { status: isReady ? 'ok' : 'error', checks: ctx.hidesHealthChecks ? {} : checks },
  };
});

async function checkDatabase(ctx: Context): Promise<'ok' | 'error'> {
  try {
    await ctx.db.query('select 1');
    return 'ok';
  } catch (error) {
    ctx.log.warn({ err: error }, 'readiness: the database did not answer');
    return 'error';
  }
}
