import { publicHandler } from '../call.ts';

export const getHealthLive = publicHandler(() => ({ json: { status: 'ok' } }));

/** Under the names of the server's checks. A world is its own database, so only the other one can fail. */
export const getHealthReady = publicHandler(({ world }) => {
  const isReady = world.state.settings.runsJobs;
  const checks = { database: 'ok', queue: isReady ? 'ok' : 'error' };
  return { status: isReady ? 200 : 503, json: { status: isReady ? 'ok' : 'error', checks } };
});
