/**
 * The socket through which commands reach a running server. Whoever may open the file may do everything, so the file is its
 * owner's alone, from the moment it is there.
 */
import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { AdminError, invalidInput } from '../services/admin/admin-error.ts';
import { isAdminOperation, performAdmin } from '../services/admin/index.ts';
import type { AdminContext } from '../services/admin/operation.ts';
import { VERSION } from '../version.ts';
import { makeSocketPath, removeSocketPath } from './address.ts';
import { ADMIN_BODY_BYTES_MAX, ADMIN_PREFIX, type AdminAnswer, VERSION_HEADER } from './wire.ts';

export interface AdminSocket {
  /** Finishes the calls at work and removes the socket. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 5_000;

/**
 * Listens for commands until `close`. A server without a socket serves all the same, so what stands in the way of one is
 * only logged.
 *
 * @param options.dataDir the folder whose lock this process holds
 */
export async function listenForAdmin(options: {
  ctx: AdminContext;
  dataDir: string;
  log: Logger;
}): Promise<AdminSocket> {
  const { ctx, dataDir, log } = options;
  const http = createServer((request, response) => {
    void answer(ctx, log, request, response);
  });
  try {
    const socketPath = await makeSocketPath(dataDir);
    if (socketPath === null)
      throw new Error('The paths of data directory and temporary files are too long for a socket.');
    await listenPrivately(http, socketPath);
  } catch (error) {
    log.warn({ err: error }, 'commands cannot reach this server: stop it to use them');
    return { close: async () => {} };
  }
  return {
    async close() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      const force = setTimeout(() => http.closeAllConnections(), CLOSE_GRACE_MS);
      await closed;
      clearTimeout(force);
      await removeSocketPath(dataDir);
    },
  };
}

/** A socket is made with the mode that the umask leaves it; Node makes it before `listen` returns. */
async function listenPrivately(http: Server, socketPath: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => {
    http.once('listening', resolve);
    http.once('error', reject);
  });
  // Not 0o177: for a moment this is the umask of everything in the process, and folders need their x.
  const umask = process.umask(0o077);
  try {
    http.listen(socketPath);
  } finally {
    process.umask(umask);
  }
  await listening;
  chmodSync(socketPath, 0o600);
}

async function answer(
  ctx: AdminContext,
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = operationName(request);
  try {
    assertSameVersion(request);
    if (request.method !== 'POST' || !isAdminOperation(name)) {
      throw new AdminError('not_found', 'This svc-server has no such command.');
    }
    const input = await readJson(request);
    // Who it was is not told by a Unix socket; that nobody but its owner could, is.
    const result = await performAdmin(ctx, name, input, 'socket');
    log.info({ operation: name }, 'administration');
    send(response, { result: { ...result } });
  } catch (error) {
    const refusal = error instanceof AdminError ? error : unexpected(log, name, error);
    log.info({ operation: name, refusal: refusal.code }, 'administration: refused');
    send(response, { error: { code: refusal.code, message: refusal.message } });
  }
}

function operationName(request: IncomingMessage): string {
  const url = request.url ?? '';
  const name = url.startsWith(ADMIN_PREFIX) ? url.slice(ADMIN_PREFIX.length) : '';
  // What is logged must not be the caller's choice.
  return isAdminOperation(name) ? name : 'unknown';
}

function assertSameVersion(request: IncomingMessage): void {
  const theirs = request.headers[VERSION_HEADER];
  if (theirs === VERSION) return;
  const caller = typeof theirs === 'string' && /^[\w.+-]{1,40}$/.test(theirs) ? theirs : 'unknown';
  throw new AdminError(
    'version_mismatch',
    `The running svc-server is version ${VERSION} and this command is version ${caller}: use the same for both. A restart brings the server up to date.`,
  );
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest is read and dropped, so that the answer can be read.
    if (bytes <= ADMIN_BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > ADMIN_BODY_BYTES_MAX) throw invalidInput(`The input is larger than ${ADMIN_BODY_BYTES_MAX} bytes.`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw invalidInput('The input is not JSON.');
  }
}

/** The text of a failure of ours stays in the log. */
function unexpected(log: Logger, name: string, error: unknown): AdminError {
  log.error({ err: error, operation: name }, 'an administrative call failed');
  return new AdminError('unexpected', 'The running svc-server failed: its log says why.');
}

function send(response: ServerResponse, body: AdminAnswer): void {
  response.writeHead('result' in body ? 200 : 400, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
