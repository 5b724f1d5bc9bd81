/**
 * The server of the admin socket. Whoever can open the socket can do everything, so from its creation only its owner
 * may.
 */
import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { INPUT_BYTES_MAX } from '@svc/operations/declared/declare';
import { AdminError, invalidInput } from '@svc/operations/implemented/admin-error';
import { type Operations, operations as all } from '@svc/operations/perform';
import { type AdminContext, perform } from '@svc/operations/implemented/operation';
import { VERSION } from '@svc/engine/runtime/version';
import { makeSocketPath, removeSocketPath } from './address.ts';
import { ADMIN_PREFIX, type AdminAnswer, VERSION_HEADER } from './protocol.ts';

export interface AdminSocket {
  /** Finishes running calls and removes the socket. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 5_000;

/**
 * Listens for commands until `close`. Failures are only logged, because a server also works without the socket.
 *
 * @param options.dataDir the folder whose lock this process holds
 */
export async function listenForAdmin(options: {
  ctx: AdminContext;
  dataDir: string;
  log: Logger;
  operations?: Operations;
}): Promise<AdminSocket> {
  const { ctx, dataDir, log, operations = all } = options;
  const http = createServer((request, response) => {
    void answer({ ctx: { ...ctx, dataDir }, log, operations }, request, response);
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

/** Creates the socket with a restrictive umask; Node creates it before `listen` returns. */
async function listenPrivately(http: Server, socketPath: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => {
    http.once('listening', resolve);
    http.once('error', reject);
  });
  // Not 0o177: for a moment this is the umask of the whole process, and new folders need the x bit.
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
  { ctx, log, operations }: { ctx: AdminContext; log: Logger; operations: Operations },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const operation = request.method === 'POST' ? operations.get(operationName(request)) : undefined;
  // Unknown names are not logged, because the caller chooses them.
  const name = operation?.declaration.name ?? 'unknown';
  try {
    assertSameVersion(request);
    if (operation === undefined) throw new AdminError('not_found', 'This svc-server has no such command.');
    const input = await readJson(request);
    // A Unix socket does not reveal the user, but only its owner can open it.
    const result = await perform(ctx, operation, { input, actor: 'socket' });
    log.info({ operation: name }, 'administration');
    send(response, { result: { ...result } });
  } catch (error) {
    const refusal = error instanceof AdminError ? error : unexpected(log, name, error);
    log.info({ operation: name, refusal: refusal.code }, 'administration: refused');
    send(response, { error: { code: refusal.code, message: refusal.message } });
  }
}

function operationName({ url = '' }: IncomingMessage): string {
  return url.startsWith(ADMIN_PREFIX) ? url.slice(ADMIN_PREFIX.length) : '';
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
    // Read and discard the rest, so that the answer can be sent.
    if (bytes <= INPUT_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > INPUT_BYTES_MAX) throw invalidInput(`The input is larger than ${INPUT_BYTES_MAX} bytes.`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw invalidInput('The input is not JSON.');
  }
}

/** The text of an internal failure stays in the log. */
function unexpected(log: Logger, name: string, error: unknown): AdminError {
  log.error({ err: error, operation: name }, 'an administrative call failed');
  return new AdminError('unexpected', 'The running svc-server failed: its log says why.');
}

function send(response: ServerResponse, body: AdminAnswer): void {
  response.writeHead('result' in body ? 200 : 400, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
