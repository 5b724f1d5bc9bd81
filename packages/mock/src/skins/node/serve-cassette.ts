/** A recorder or a replay on a port. */
import { ApiError } from '@svc/domain/errors/errors';
import { CONTROL_HEADERS, CONTROL_PREFIX, isControlPath } from '../../control/prefix.ts';
import { toAnswer, toErrorReply } from '../../service/answers.ts';
import type { MockRequest, Outcome, Reply } from '../../service/call.ts';
import { pathOf } from '@svc/domain/requests/match-route';
import { refuseControl, refuseForeignHost } from './control-access.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';

export interface ServeOptions {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: none. */
  readonly onAnswered?: ((request: MockRequest, outcome: Outcome, durationMs: number) => void) | undefined;
}

export interface Served {
  readonly answer: (request: MockRequest) => Outcome | Promise<Outcome>;
  /** Answers `POST /__svc/reset`. Absent when there is nothing to reset. */
  readonly reset?: () => void;
}

/** Serves the answers, `GET /__svc/health` and, for a replay, `POST /__svc/reset`. */
export function serveCassette({ answer, reset }: Served, options: ServeOptions): Promise<HttpServer> {
  const { port, host, onAnswered } = options;
  return startHttpServer({
    port,
    host,
    onAnswered,
    answer(request, origin) {
      const isControl = isControlPath(request.target);
      const refused = refuseForeignHost(origin, []) ?? (isControl ? refuseControl(request, origin, undefined) : null);
      if (refused !== null) return toOutcome(request, toErrorReply(refused));
      return isControl ? toOutcome(request, control(request, reset)) : answer(request);
    },
  });
}

function control({ method, target }: MockRequest, reset: Served['reset']): Reply {
  const call = `${method} ${pathOf(target)}`;
  if (call === `GET ${CONTROL_PREFIX}/health`) return { json: { status: 'ok' } };
  if (call === `POST ${CONTROL_PREFIX}/reset` && reset !== undefined) {
    reset();
    return { status: 204 };
  }
  const known = [`GET ${CONTROL_PREFIX}/health`, ...(reset === undefined ? [] : [`POST ${CONTROL_PREFIX}/reset`])];
  return toErrorReply(
    new ApiError(404, `Recordings have no worlds and no other control endpoints than ${known.join(' and ')}.`),
  );
}

function toOutcome({ method }: MockRequest, reply: Reply): Outcome {
  const answer = toAnswer(reply, { method, headers: CONTROL_HEADERS, successStatus: 200 });
  return { kind: 'answer', answer, delayMs: 0 };
}
