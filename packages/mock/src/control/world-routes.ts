/** Control endpoints for worlds, clocks, scenarios, settings and snapshots. */
import { ApiError } from '@svc/domain/errors/errors';
import type * as z from 'zod';
import type { Engine } from '../service/engine.ts';
import { NewWorldError } from '../service/worlds.ts';
import { SCENARIO_NAMES } from '../state/scenario-names.ts';
import { applyScenarios } from '../state/scenarios.ts';
import { resetWorld, restoreSnapshot, takeSnapshot } from '../state/snapshots.ts';
import { update, type World } from '../state/world.ts';
import { type ControlRoute, controlRoute } from './route.ts';
import { clockChangeSchema, newWorldSchema, scenariosSchema, settingsPatchSchema, snapshotSchema } from './schemas.ts';

export const worldRoutes: readonly ControlRoute[] = [
  controlRoute({
    at: 'GET /health',
    summary: 'Checks that the mock is up',
    isOfWorld: false,
    answers: { 200: 'Health' },
    run: ({ engine }) => ({ json: { status: 'ok', worlds: engine.worlds.list().length } }),
  }),
  controlRoute({
    at: 'GET /worlds',
    summary: 'Lists all worlds',
    isOfWorld: false,
    answers: { 200: 'Worlds' },
    run: ({ engine }) => ({ json: { worlds: engine.worlds.list().map((world) => describeWorld(engine, world)) } }),
  }),
  controlRoute({
    at: 'POST /worlds',
    summary: 'Creates an isolated world with its own keys and ingress codes',
    isOfWorld: false,
    body: newWorldSchema,
    answers: { 201: 'NewWorld', 409: 'Error' },
    run({ engine, body, assertReceiver }) {
      for (const url of Object.values(body.settings?.receivers ?? {})) assertReceiver(url);
      const { world, keys } = createWorld(engine, body);
      return { status: 201, json: { ...describeWorld(engine, world), keys } };
    },
  }),
  controlRoute({
    at: 'GET /worlds/{world}',
    summary: 'Shows one world',
    isOfWorld: false,
    answers: { 200: 'World' },
    run: ({ engine, world }) => ({ json: describeWorld(engine, world) }),
  }),
  controlRoute({
    at: 'DELETE /worlds/{world}',
    summary: 'Deletes an isolated world',
    isOfWorld: false,
    answers: { 204: null, 409: 'Error' },
    run({ engine, world }) {
      if (!engine.worlds.delete(world.id))
        throw new ApiError(409, 'The default world cannot be deleted: reset it instead.');
      return { status: 204 };
    },
  }),
  controlRoute({
    at: 'GET /clock',
    summary: "Shows the world's time",
    answers: { 200: 'Clock' },
    run: ({ engine, world }) => ({ json: describeClock(engine, world) }),
  }),
  controlRoute({
    at: 'POST /clock',
    summary: 'Freezes, resumes and advances the clock, in this order; advancing runs the jobs that become due',
    body: clockChangeSchema,
    answers: { 200: 'Clock' },
    async run({ engine, world, body: { freeze, resume, advance } }) {
      if (freeze !== undefined) engine.freeze(world, freeze === true ? undefined : freeze);
      if (resume !== undefined) engine.resume(world);
      if (advance !== undefined) await engine.advance(world, advance);
      return { json: describeClock(engine, world) };
    },
  }),
  controlRoute({
    at: 'POST /settle',
    summary: 'Runs due jobs until none is due. A receiver must not wait for this call before it answers',
    answers: { 200: 'Settled' },
    async run({ engine, world }) {
      await engine.settle(world);
      return { json: { dueLater: world.state.data.jobs.length } };
    },
  }),
  controlRoute({
    at: 'GET /scenarios',
    summary: 'Lists the available and the applied scenarios',
    answers: { 200: 'Scenarios' },
    run: ({ world }) => ({ json: { available: SCENARIO_NAMES, applied: world.state.settings.scenarios } }),
  }),
  controlRoute({
    at: 'POST /scenarios',
    summary: 'Applies scenarios to the current state',
    body: scenariosSchema,
    answers: { 200: 'AppliedScenarios' },
    run({ engine, world, body }) {
      applyScenarios(world, body.names, { now: engine.now(world) });
      return { json: { applied: world.state.settings.scenarios } };
    },
  }),
  controlRoute({
    at: 'GET /settings',
    summary: "Shows the world's settings",
    answers: { 200: 'Settings' },
    run: ({ world }) => ({ json: world.state.settings }),
  }),
  controlRoute({
    at: 'PATCH /settings',
    summary: 'Changes the given settings',
    body: settingsPatchSchema,
    answers: { 200: 'Settings' },
    run({ world, body, assertReceiver }) {
      for (const url of Object.values(body.receivers ?? {})) assertReceiver(url);
      update(world, { settings: withDefined({ ...world.state.settings }, body) });
      return { json: world.state.settings };
    },
  }),
  controlRoute({
    at: 'GET /snapshots',
    summary: 'Lists the names of the snapshots',
    answers: { 200: 'Snapshots' },
    run: ({ world }) => ({ json: { snapshots: [...world.snapshots.keys()] } }),
  }),
  controlRoute({
    at: 'POST /snapshots',
    summary: "Saves the world's state under a name",
    body: snapshotSchema,
    answers: { 201: 'Snapshot' },
    run: ({ world, body }) => ({ status: 201, json: { name: takeSnapshot(world, body.name) } }),
  }),
  controlRoute({
    at: 'POST /snapshots/{name}/restore',
    summary: 'Returns to a snapshot',
    answers: { 200: 'World' },
    run({ engine, world, params }) {
      restore(world, params['name'] ?? '');
      return { json: describeWorld(engine, world) };
    },
  }),
  controlRoute({
    at: 'POST /reset',
    summary: 'Returns to the initial state',
    answers: { 200: 'World' },
    run({ engine, world }) {
      resetWorld(world);
      return { json: describeWorld(engine, world) };
    },
  }),
];

function createWorld(engine: Engine, { settings, ...rest }: z.output<typeof newWorldSchema>) {
  try {
    return engine.worlds.create({
      ...(withDefined({}, rest) as Parameters<Engine['worlds']['create']>[0]),
      ...(settings === undefined ? {} : { settings: withDefined({}, settings) }),
    });
  } catch (error) {
    if (error instanceof NewWorldError) throw new ApiError(409, error.message);
    throw error;
  }
}

function restore(world: World, name: string): void {
  try {
    restoreSnapshot(world, name);
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError(404, error.message);
    throw error;
  }
}

/** Assigns the properties of `changes` that are not undefined to `target`. */
export function withDefined<Target extends object>(target: Target, changes: object): Target {
  return Object.assign(target, Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)));
}

function describeClock(engine: Engine, world: World): object {
  return { now: engine.now(world).toISOString(), mode: world.state.clock.mode };
}

function describeWorld(engine: Engine, world: World): object {
  const { settings, data } = world.state;
  return {
    id: world.id,
    ...describeClock(engine, world),
    scenarios: settings.scenarios,
    sources: data.sources.map(({ id, platform, path }) => ({
      id,
      platform,
      url: `${engine.deps.urls.sync}/webhooks/${path}`,
    })),
    snapshots: [...world.snapshots.keys()],
  };
}
