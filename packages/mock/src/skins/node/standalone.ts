/** The mock as a server with API, source URLs and control endpoints on one port. */
import { API_PREFIX, HEADERS } from '@svc/contract/vocabulary';
import { answerHeaders } from '@svc/domain/requests/answer-headers';
import { brandHeaderName } from '@svc/domain/pages/branding';
import { CONTROL_HEADERS, isControlPath } from '../../control/prefix.ts';
import { toAnswer, toErrorReply } from '../../service/answers.ts';
import type { MockRequest, Outcome, Reply } from '../../service/call.ts';
import type { Engine } from '../../service/engine.ts';
import { pathOf } from '@svc/domain/requests/match-route';
import { assertReceiverAllowed } from '../../state/receivers.ts';
import { refuseControl, refuseForeignHost } from './control-access.ts';
import type { CallLog } from './call-log.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';

export interface StandaloneOptions {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** The address that answers show. Default: the listening address. */
  readonly baseUrl?: string | undefined;
  /** Token that control calls must send in `Svc-Control-Token`. Default: none, control calls must come from this machine. */
  readonly controlToken?: string | undefined;
  /** Whether receivers may be on other machines. Default false. */
  readonly allowsRemoteReceivers?: boolean | undefined;
  /** Gets the answered calls. The engine's `onCall` must be that of the same log. Default: none. */
  readonly log?: CallLog | undefined;
}

/** Starts the server of a mock. */
export async function startStandalone(engine: Engine, options: StandaloneOptions = {}): Promise<HttpServer> {
  const assertReceiver = (url: string) => assertReceiverAllowed(url, options.allowsRemoteReceivers === true);
  const { port, host } = options;
  const requestIdHeader = brandHeaderName(HEADERS.requestId, engine.branding);
  const server = await startHttpServer({
    port,
    host,
    requestIdHeader,
    headersOfBrokenRequest: () => ({
      ...answerHeaders(API_PREFIX, { apiUrl: engine.deps.urls.api, docsUrl: engine.deps.urls.docs }),
      [requestIdHeader]: crypto.randomUUID(),
    }),
    onAnswered: options.log?.onAnswered,
    async answer(request, origin): Promise<Outcome> {
      const isControl = isControlPath(request.target);
      const foreign = origin.headerError ?? refuseForeignHost(origin, Object.values(engine.deps.urls));
      const isLanding = isLandingCall(request);
      if (!isControl && (foreign !== null || !isLanding)) return engine.handle(request, foreign);
      const error = foreign ?? refuseControl(request, origin, options.controlToken);
      if (isLanding) {
        const { landingPage } = await import('../../control/landing-page.ts');
        const reply = landingPage(engine, error?.message ?? null);
        return toOutcome(request, reply);
      }
      if (error !== null) return toOutcome(request, toErrorReply(error));
      // Loaded at the first control call, so that the mock starts faster.
      const onWorld = (id: string) => options.log?.onControl(request, id);
      const { handleControl } = await import('../../control/handle-control.ts');
      return { kind: 'answer', answer: await handleControl(engine, request, { assertReceiver, onWorld }), delayMs: 0 };
    },
  });
  engine.setBaseUrl(options.baseUrl ?? server.url);
  return server;
}

/** The page at `/` is no call of a world, so journals and limits leave it out. */
function isLandingCall({ method, target }: MockRequest): boolean {
  return pathOf(target) === '/' && (method === 'GET' || method === 'HEAD');
}

function toOutcome({ method }: MockRequest, reply: Reply): Outcome {
  const answer = toAnswer(reply, { method, headers: CONTROL_HEADERS, successStatus: 200 });
  return { kind: 'answer', answer, delayMs: 0 };
}
