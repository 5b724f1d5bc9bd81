/** Control endpoints for faults, journal, outbox, receivers, held and triggered events. */
import { ApiError, badRequest } from '@svc/domain/errors/errors';
import { addFault, removeFault } from '../service/faults.ts';
import { dropHeldEvents, listHeldEvents, releaseHeldEvents } from '../service/jobs/hold-events.ts';
import { trigger } from '../service/trigger.ts';
import type { FaultRule } from '../state/fault.ts';
import { EMPTY_HISTORY } from '../state/history.ts';
import { findMails, findPosts } from '../state/traffic.ts';
import { type Expectation, findCalls, verifyCalls } from '../state/verify.ts';
import { update } from '../state/world.ts';
import { type ControlRoute, controlRoute } from './route.ts';
import {
  expectationSchema,
  faultRuleSchema,
  heldFilterSchema,
  mailsQuery,
  outboxQuery,
  receiversSchema,
  requestsQuery,
  triggerSchema,
} from './schemas.ts';
import { withDefined } from './world-routes.ts';

export const callRoutes: readonly ControlRoute[] = [
  controlRoute({
    at: 'GET /faults',
    summary: 'Lists the faults with the number of calls each matched and hit',
    answers: { 200: 'Faults' },
    run: ({ world }) => ({ json: { faults: world.state.faults } }),
  }),
  controlRoute({
    at: 'POST /faults',
    summary: 'Adds a fault',
    body: faultRuleSchema,
    answers: { 201: 'Fault' },
    run({ world, body }) {
      return { status: 201, json: addFault(world, withDefined({}, body) as FaultRule) };
    },
  }),
  controlRoute({
    at: 'DELETE /faults',
    summary: 'Removes all faults',
    answers: { 204: null },
    run({ world }) {
      update(world, { faults: [] });
      return { status: 204 };
    },
  }),
  controlRoute({
    at: 'DELETE /faults/{fault}',
    summary: 'Removes one fault',
    answers: { 204: null },
    run({ world, params }) {
      const id = params['fault'] ?? '';
      if (!removeFault(world, id)) throw new ApiError(404, `Fault ${id} not found`);
      return { status: 204 };
    },
  }),
  controlRoute({
    at: 'GET /requests',
    summary: 'Lists API calls and inbound posts, oldest first',
    query: requestsQuery,
    answers: { 200: 'Requests' },
    run({ world, query: { unmatched, ...filter } }) {
      const isUnmatched = unmatched === undefined ? undefined : unmatched === 'true';
      return { json: { requests: findCalls(world.state.journal, withDefined({}, { ...filter, isUnmatched })) } };
    },
  }),
  controlRoute({
    at: 'DELETE /requests',
    summary: 'Clears the list of calls',
    answers: { 204: null },
    run({ world }) {
      update(world, { journal: EMPTY_HISTORY });
      return { status: 204 };
    },
  }),
  controlRoute({
    at: 'POST /verify',
    summary: 'Verifies the number of matching calls; at least one by default',
    body: expectationSchema,
    answers: { 200: 'Verified', 417: 'NotVerified' },
    run({ world, body }) {
      const verification = verifyCalls(world.state.journal, withDefined<Expectation>({}, body));
      return { status: verification.ok ? 200 : 417, json: verification };
    },
  }),
  controlRoute({
    at: 'GET /receivers',
    summary: 'Lists the receivers by host',
    answers: { 200: 'Receivers' },
    run: ({ world }) => ({ json: world.state.settings.receivers }),
  }),
  controlRoute({
    at: 'PUT /receivers',
    summary: 'Replaces the receivers of webhook and destination hosts',
    body: receiversSchema,
    answers: { 200: 'Receivers' },
    run({ world, body, assertReceiver }) {
      for (const url of Object.values(body)) assertReceiver(url);
      update(world, { settings: { ...world.state.settings, receivers: body } });
      return { json: body };
    },
  }),
  controlRoute({
    at: 'GET /outbox',
    summary: 'Lists the posts that the service made, oldest first',
    query: outboxQuery,
    answers: { 200: 'Outbox' },
    run({ world, query }) {
      return { json: { outbox: findPosts(world.state.outbox, withDefined({}, query)) } };
    },
  }),
  controlRoute({
    at: 'DELETE /outbox',
    summary: 'Clears the outbox',
    answers: { 204: null },
    run({ world }) {
      update(world, { outbox: EMPTY_HISTORY });
      return { status: 204 };
    },
  }),
  controlRoute({
    at: 'GET /mails',
    summary: 'Lists the attempts at mails of reply relays, oldest first',
    query: mailsQuery,
    answers: { 200: 'Mails' },
    run({ world, query }) {
      return { json: { mails: findMails(world.state.mails, withDefined({}, query)) } };
    },
  }),
  controlRoute({
    at: 'DELETE /mails',
    summary: 'Clears the list of mails',
    answers: { 204: null },
    run({ world }) {
      update(world, { mails: EMPTY_HISTORY });
      return { status: 204 };
    },
  }),
  controlRoute({
    at: 'GET /held',
    summary: 'Lists the events that write policies hold',
    answers: { 200: 'HeldEvents' },
    run: ({ engine, world }) => ({ json: { held: listHeldEvents(world, engine.now(world)) } }),
  }),
  controlRoute({
    at: 'POST /held/release',
    summary: 'Writes what is held of these leads, and holds none of their later events',
    body: heldFilterSchema,
    answers: { 200: 'Taken' },
    run: ({ engine, world, body }) => ({ json: { events: releaseHeldEvents(world, engine.now(world), body) } }),
  }),
  controlRoute({
    at: 'POST /held/drop',
    summary: 'Never writes what is held of these leads; their later events are held again',
    body: heldFilterSchema,
    answers: { 200: 'Taken' },
    run: ({ engine, world, body }) => ({ json: { events: dropHeldEvents(world, engine.now(world), body) } }),
  }),
  controlRoute({
    at: 'POST /trigger',
    summary: 'Emits an event',
    body: triggerSchema,
    answers: { 201: 'Event' },
    run({ engine, world, body: { type, ...options } }) {
      const at = { now: engine.now(world), dashboardUrl: engine.deps.urls.dashboard };
      try {
        const event = trigger(world, type, { ...withDefined({}, options), ...at });
        return { status: 201, json: { eventId: event.id } };
      } catch (error) {
        if (error instanceof RangeError) throw badRequest(error.message);
        throw error;
      }
    },
  }),
];
