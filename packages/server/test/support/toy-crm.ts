/**
 * A CRM that does not exist, as an example of what a connector needs: a notebook with one page per contact. It serves
 * `docs/adding-a-crm.md`: what that document asks for is all that this file has.
 *
 * Its API: `PUT /pages/:email/lines/:key` with `{text}` writes a line once and answers `{page, line}`, `GET /me` answers
 * `{account}`, `GET /lists/:id` answers `{addresses}`. The token is `Authorization: Bearer`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type {
  CrmAccess,
  CrmConnector,
  CrmConnectorOptions,
  CrmFailed,
  CrmOutcome,
  CrmWrite,
  RegisteredCrm,
} from '@svc/crm';

/** The line of the registry. */
export const TOY_CRM: RegisteredCrm = {
  crm: 'NOTEBOOK',
  name: 'Notebook',
  apiUrl: 'https://api.notebook.example',
  limits: { window: { limit: 100, windowMs: 1_000 }, search: null, daily: { limit: 100_000, unit: 'calls' } },
  create: createNotebookConnector,
};

function createNotebookConnector({ fetch, baseUrl = '', timeoutMs }: CrmConnectorOptions): CrmConnector {
  async function call(
    access: CrmAccess,
    method: string,
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const refusal = await access.quota.take({ operation: method, cost: 1 });
    if (refusal !== null) throw new Waiting(refusal);
    const response = await fetch(`${access.apiUrl ?? baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${access.accessToken}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await access.quota.report({ operation: method, cost: 1 }, { httpStatus: response.status });
    if (!response.ok) throw new NotebookError(response.status);
    return JSON.parse(await response.text());
  }

  async function writeOne(access: CrmAccess, { event, idempotencyKey }: CrmWrite): Promise<CrmOutcome> {
    try {
      const path = `/pages/${encodeURIComponent(event.toEmail)}/lines/${idempotencyKey}`;
      const { page, line } = await call(access, 'PUT', path, { text: event.eventType });
      return { status: 'success', contactId: String(page), engagementId: String(line) };
    } catch (error) {
      return toFailed(error);
    }
  }

  return {
    batchSize: 10,
    async writeEvents({ access, events }) {
      const outcomes: CrmOutcome[] = [];
      for (const write of events) outcomes.push(await writeOne(access, write));
      return outcomes;
    },
    async *readList({ access, listId }) {
      try {
        const { addresses } = await call(access, 'GET', `/lists/${encodeURIComponent(listId)}`);
        yield { status: 'page', values: Array.isArray(addresses) ? addresses.map(String) : [], cursor: null };
      } catch (error) {
        yield toFailed(error);
      }
    },
    async checkAccess(access) {
      try {
        const { account } = await call(access, 'GET', '/me');
        return { status: 'accepted', organizationId: String(account), missing: null };
      } catch (error) {
        return toFailed(error);
      }
    },
  };
}

/** The quota allows no call now. */
class Waiting extends Error {
  readonly refusal: { untilMs: number; error: CrmFailed['error'] };

  constructor(refusal: Waiting['refusal']) {
    super(refusal.error.message);
    this.refusal = refusal;
  }
}

class NotebookError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`Notebook answered ${status}`);
    this.status = status;
  }
}

/** 401 disconnects, 5xx and no answer are tried again, everything else is final. */
function toFailed(error: unknown): CrmFailed {
  if (error instanceof Waiting) {
    const { untilMs, error: reason } = error.refusal;
    const afterMs = Math.max(0, untilMs - Date.now());
    return { status: 'error', error: reason, retry: { afterMs }, disconnected: false, isQuotaWait: true };
  }
  const httpStatus = error instanceof NotebookError ? error.status : null;
  const isTemporary = httpStatus === null || httpStatus >= 500;
  return {
    status: 'error',
    error: {
      code: isTemporary ? 'unavailable' : 'refused',
      message: error instanceof NotebookError ? error.message : 'Notebook could not be reached',
      httpStatus,
    },
    retry: isTemporary ? { afterMs: null } : 'never',
    disconnected: httpStatus === 401,
    ...(isTemporary ? { isUnavailable: true as const } : {}),
  };
}

export interface ToySimulator {
  readonly url: string;
  /** `email: text` of each line, in the order of writing. */
  lines(): string[];
  /** Answers the next call with this status. */
  failNext(status: number): void;
  close(): Promise<void>;
}

/** Starts the notebook's API on loopback. */
export async function startToySimulator(token: string): Promise<ToySimulator> {
  const lines = new Map<string, string>();
  let failing: number | null = null;
  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const [, kind, name = '', , key = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    if (request.headers.authorization !== `Bearer ${token}`) return answer(response, 401, {});
    if (failing !== null) {
      const status = failing;
      failing = null;
      return answer(response, status, {});
    }
    if (kind === 'me') return answer(response, 200, { account: 'n-1' });
    if (kind === 'lists') return answer(response, 200, { addresses: ['a@example.org', 'b@example.org'] });
    if (!lines.has(key)) lines.set(key, `${name}: ${String(JSON.parse(text).text)}`);
    return answer(response, 200, { page: name, line: key });
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    lines: () => [...lines.values()],
    failNext: (status) => {
      failing = status;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
