/** Control calls for tests. Each answer is validated against the control document. */
import { readFileSync } from 'node:fs';
import { createResponseValidator } from '@svc/contract/strict';
import { badRequest } from '@svc/domain/errors/errors';
import { parseWorld } from '@svc/domain/world';
import { expect } from 'vitest';
import { controlDocument } from '../../src/control/document.ts';
import { handleControl } from '../../src/control/handle-control.ts';
import { createEngine, type EngineOptions } from '../../src/service/engine.ts';
import { NOW, toRequest } from './demo.ts';

const FILE = parseWorld(
  JSON.parse(readFileSync(new URL('../../../../fixtures/demo-world.json', import.meta.url), 'utf8')),
);
/** The control document after a JSON round trip, as a client reads it. */
export const DOCUMENT = JSON.parse(JSON.stringify(controlDocument()));
const problemsOf = createResponseValidator({ document: DOCUMENT });
/** Operations and statuses answered so far. */
export const seen = new Set<string>();

export interface ControlOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A mock with a frozen clock and no timers. */
export function createControl() {
  const engineOptions: EngineOptions = {
    file: FILE,
    now: NOW,
    realNow: () => NOW,
    setTimer: () => () => {},
    post: () => Promise.resolve({ status: 200, error: null }),
    reportError: (error) => {
      throw error;
    },
    baseUrl: 'http://127.0.0.1:4010',
    worldsMax: 3,
  };
  const engine = createEngine(engineOptions);

  /** Makes one control call, such as `POST /clock`. */
  async function control(call: string, body?: unknown, { key, headers = {} }: ControlOptions = {}) {
    const [method = '', path = ''] = call.split(' ');
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const request = toRequest(`/__svc${path}`, { method, key: key ?? null, body: text, headers });
    const answer = await handleControl(engine, request, {
      assertReceiver(url) {
        if (!url.includes('127.0.0.1')) throw badRequest(`The receiver ${url} is not on this machine.`);
      },
    });
    const json = answer.body === '' ? undefined : JSON.parse(answer.body);
    const operationId = operationOf(method, path);
    if (operationId !== undefined) {
      expect([call, problemsOf(operationId, answer.status, answer.headers, json)]).toEqual([call, []]);
      seen.add(`${operationId} ${answer.status}`);
    }
    return { status: answer.status, json, message: json?.message };
  }

  /** Calls the API in the world of that key. */
  function call(target: string, key = 'osapi_demo_read', method = 'GET', body = '') {
    const outcome = engine.handle(toRequest(target, { method, key, body }));
    if (outcome.kind !== 'answer') return { status: outcome.kind, json: undefined };
    return {
      status: outcome.answer.status,
      json: outcome.answer.body === '' ? undefined : JSON.parse(outcome.answer.body),
    };
  }

  return { engine, engineOptions, control, call };
}

/** Finds the operation by path in the document, not in the routing table. */
function operationOf(method: string, target: string): string | undefined {
  const segments = `/__svc${target}`.split('?')[0]?.split('/') ?? [];
  const fits = (path: string) => {
    const wanted = path.split('/');
    return (
      wanted.length === segments.length && wanted.every((each, at) => each.startsWith('{') || each === segments[at])
    );
  };
  const found = Object.entries<Record<string, { operationId: string }>>(DOCUMENT.paths).filter(([path]) => fits(path));
  return found.map(([, item]) => item[method.toLowerCase()]?.operationId).find((id) => id !== undefined);
}
