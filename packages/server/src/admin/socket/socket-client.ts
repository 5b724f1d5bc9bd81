/** The client of the admin socket: a command's call to a running server. */
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { VERSION } from '@svc/engine/runtime/version';
import { ADMIN_PREFIX, type AdminAnswer, adminAnswer, VERSION_HEADER } from './protocol.ts';

/** No server listens: none runs on this folder, or it was killed and left its socket. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

const TIMEOUT_MS = 30_000;
/** Timeout of operations that process all rows of a log or all secrets, or make many calls to a CRM. */
const LONG_TIMEOUT_MS = 3_600_000;
const LONG_OPERATION = /\/(remove|reencrypt|discard|reprocess|copy|erase|prepare|selftest)$/;

/**
 * @returns the operation's result
 * @throws NoServerError when no server listens; nothing was done
 * @throws AdminError when the server refuses, does not answer, or has another version
 */
export async function callAdminSocket(socketPath: string, operation: string, input: unknown): Promise<object> {
  const answer = parseAnswer(await post(socketPath, operation, JSON.stringify(input)));
  if ('error' in answer) throw new AdminError(answer.error.code, answer.error.message);
  return answer.result;
}

function post(socketPath: string, operation: string, body: string): Promise<string> {
  const timeoutMs = LONG_OPERATION.test(operation) ? LONG_TIMEOUT_MS : TIMEOUT_MS;
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    [VERSION_HEADER]: VERSION,
  };
  const path = `${ADMIN_PREFIX}${operation}`;
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(explain(error, { socketPath, timeoutMs }));
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = request({ socketPath, method: 'POST', path, agent: false, headers, signal }, (response) => {
      readText(response).then(resolve, fail);
    });
    outgoing.once('error', fail).end(body);
  });
}

function explain(error: Error, { socketPath, timeoutMs }: { socketPath: string; timeoutMs: number }): Error {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  switch (code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return new NoServerError(code);
    case 'EACCES':
    case 'EPERM':
      return unavailable(`${socketPath} is not accessible to this user: run the command as the user of svc-server`);
    case 'ABORT_ERR':
    case 'TimeoutError':
      return unavailable(
        `the running svc-server did not answer within ${timeoutMs / 1_000} seconds. Check with a list command whether it made the change`,
      );
    default:
      return unavailable(
        `the running svc-server ended the call (${code}). Once it runs again, check with a list command whether it made the change`,
      );
  }
}

function parseAnswer(text: string): AdminAnswer {
  try {
    return adminAnswer.parse(JSON.parse(text));
  } catch {
    throw new AdminError(
      'version_mismatch',
      'This command does not understand the answer of the running svc-server: use the same version for both.',
    );
  }
}

function unavailable(message: string): AdminError {
  return new AdminError('server_unavailable', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
}
