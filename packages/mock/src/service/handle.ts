/**
 * Handles a call to a world, from the request to its outcome. It is synchronous and changes only the world; the skins (MSW,
 * Fetch, node:http) only transport requests and outcomes.
 *
 * Faults are applied before the checks, which are made in the domain's `CHECK_ORDER`.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { HEADERS } from '@svc/contract/vocabulary';
import { authorize } from '@svc/domain/requests/access';
import { answerHeaders, isApiPath } from '@svc/domain/requests/answer-headers';
import { brandHeaderName } from '@svc/domain/pages/branding';
import { clientAddress } from '@svc/domain/network/client-address';
import { ApiError, invalidApiKey } from '@svc/domain/errors/errors';
import { assertInboundCall, inboundPathOf } from '@svc/domain/syncs/inbound-post';
import { parseQuery } from '@svc/domain/requests/parameters';
import { addressBucket } from '@svc/domain/requests/rate-limit';
import { readClock } from '../state/clock.ts';
import { addEntry } from '../state/history.ts';
import type { JournalEntry } from '../state/traffic.ts';
import { update, type World } from '../state/world.ts';
import { accessOf, bearerOf, type Caller, findCaller } from './access.ts';
import { toAnswer, toApiError, toErrorReply } from './answers.ts';
import type { Call, EngineDeps, MockAnswer, MockRequest, Outcome, Reply } from './call.ts';
import { callWithFault } from './fault-effects.ts';
import { applyFaults } from './faults.ts';
import { addUnknownFieldsAndValues } from './forward-compatibility.ts';
import { receivePost } from './handlers/inbound.ts';
import { handlers } from './handlers/index.ts';
import { findPage } from './pages.ts';
import { spendRequest } from './rate-limits.ts';
import { HINT_HEADER, reasonFor, toHint } from './hints.ts';
import { toEntry } from './record-call.ts';
import { readJsonBody } from './request-body.ts';
import { requestIdOf } from './request-ids.ts';
import { pathOf, type RouteMatch } from '@svc/domain/requests/match-route';
import { matchRoute, type MockRoute, nearestRoute } from './routes.ts';

/** A call in progress. */
interface Exchange {
  readonly world: World;
  readonly request: MockRequest;
  readonly deps: EngineDeps;
  readonly now: Date;
  readonly query: JournalEntry['query'];
  readonly match: RouteMatch<MockRoute> | null;
  /** Null without a valid key. */
  readonly caller: Caller | null;
  /** Headers of every answer, refusals included. */
  readonly headers: Record<string, string>;
  readonly refusal: ApiError | null;
}

/**
 * Answers a call and records it in the journal.
 * @param refusal why the transport refuses the call; thrown after the call was counted
 */
export function handle(world: World, request: MockRequest, deps: EngineDeps, refusal: ApiError | null = null): Outcome {
  const { branding } = world;
  const { data, clock, settings, callCount } = world.state;
  const id = callCount + 1;
  const path = pathOf(request.target);
  const isApiCall = isApiPath(path);
  const token = bearerOf(request, branding);
  const requestIdHeader = brandHeaderName(HEADERS.requestId, branding);
  const headers = {
    [requestIdHeader]: requestIdOf(world, id),
    ...answerHeaders(path, { apiUrl: deps.urls.api, docsUrl: deps.urls.docs }),
  };
  const exchange: Exchange = {
    world,
    request,
    deps,
    now: readClock(clock, deps.realNow),
    query: parseQuery(request.target),
    match: matchRoute(request.method, request.target),
    caller: token === null ? null : findCaller(data, token),
    headers,
    refusal,
  };

  const operationId = exchange.match?.route.id ?? null;
  const fault = applyFaults(world, { operationId, isApiCall, key: token });
  const outcome = callWithFault(fault?.effect ?? null, isApiCall ? settings.latencyMs : 0, {
    serve: () => respond(exchange, () => serve(exchange), settings.isFuture && isApiCall),
    reply: (reply) => respond(exchange, () => reply, false),
  });

  const { now, query, caller, match } = exchange;
  const status = 'answer' in outcome ? outcome.answer.status : null;
  const nearest = match === null ? nearestRoute(request.method, path) : null;
  const answered = {
    world,
    now,
    authorization: request.headers['authorization'],
    query,
    hasRange: match?.route.queryParams.includes('from') === true,
    isApiCall,
    nearestRoute: nearest,
  };
  const isExplained = status !== null && fault?.effect.kind !== 'status';
  const reason = isExplained ? reasonFor({ ...answered, status }) : null;
  const hint = reason === null || status === null ? null : toHint(reason, { world, status });
  const entry = toEntry({
    id,
    now,
    branding,
    request,
    path,
    query,
    operationId,
    keyName: caller?.key.name ?? null,
    status,
    faultId: fault?.id ?? null,
    nearestRoute: nearest,
    hint: reason,
  });
  update(world, { callCount: id, journal: addEntry(world.state.journal, entry) });
  deps.onCall?.({ request, worldId: world.id, entry, fault, hint });
  return hint === null ? outcome : withHint(outcome, hint);
}

function withHint(outcome: Outcome, hint: string): Outcome {
  if (!('answer' in outcome)) return outcome;
  const { answer } = outcome;
  return { ...outcome, answer: { ...answer, headers: { ...answer.headers, [HINT_HEADER]: hint } } };
}

/** Converts the reply, or the error that `makeReply` throws, to an answer. */
function respond({ request, match, headers, deps }: Exchange, makeReply: () => Reply, isFuture: boolean): MockAnswer {
  const { method } = request;
  const answer = (reply: Reply, successStatus: number) => {
    const json = isFuture && reply.json !== undefined ? { json: addUnknownFieldsAndValues(reply.json) } : {};
    return toAnswer({ ...reply, ...json }, { method, headers, successStatus });
  };
  try {
    return answer(makeReply(), match?.route.successStatus ?? 200);
  } catch (error) {
    return answer(toErrorReply(toApiError(error, deps.reportError)), 500);
  }
}

/** @throws ApiError for every refusal */
function serve({ world, request, deps, now, query, match, caller, headers, refusal }: Exchange): Reply {
  const path = pathOf(request.target);
  const ip = addressOf(world, request);
  spendRequest(world, addressBucket(request.method, path), { ip }, { now, headers });
  if (refusal !== null) throw refusal;
  const inboundPath = inboundPathOf(path);
  if (inboundPath !== null) assertInboundCall(request.method, inboundPath);
  if (match === null) {
    const page = findPage(request.method, path, deps.urls, world.branding);
    if (page === null) throw new ApiError(404, OWN_MESSAGES.noSuchRoute);
    return page;
  }
  const { route, params } = match;
  if (route.id === 'inbound') return receivePost(world, inboundPath ?? '', request, now);
  const handler = handlers[route.id];
  const call: Call = { world, now, urls: deps.urls, params, query, body: undefined };
  if (handler.access === 'public') return handler.handle(call);

  if (caller === null) throw invalidApiKey();
  const { key, account } = caller;
  const access = accessOf(world.state.data, key);
  spendRequest(world, route.rateBucket, { accountId: account.id }, { now, headers });
  authorize(route.access, access, account);
  const body = route.hasBody ? readJsonBody(request) : undefined;
  return handler.handle({ ...call, key, account, access, body });
}

/** Returns the caller's address for the limit per IP. */
function addressOf({ state }: World, { ip, headers }: MockRequest): string {
  const { trustedProxies } = state.settings;
  return clientAddress({ remoteAddress: ip, forwardedFor: headers['x-forwarded-for'], trustedProxies });
}
