import { publicHandler } from '../call.ts';

export const getHealthLive = publicHandler(() => ({ json: { status: 'ok' } }));

/** Has the server's checks. The queue fails while jobs are off; the others never fail. */
export const getHealthReady = publicHandler(({ world }) => {
  const isReady = world.state.settings.runsJobs;
  const checks = { database: 'ok', queue: isReady ? 'ok' : 'error', secrets: 'ok' };
  return { status: isReady ? 200 : 503, json: { status: isReady ? 'ok' : 'error', checks } };
});
