import { get } from 'node:http';
import { listenUrl } from '@svc/domain/network/listen-url';
import { type Config, ConfigError } from '@svc/engine/config/config';
import { isPublic } from '@svc/engine/config/roles';

const TIMEOUT_MS = 5_000;

export interface Health {
  ok: boolean;
  /** One sentence. */
  message: string;
}

/**
 * Asks the server that runs with this configuration on this machine, at its administrative listener if it has one.
 *
 * @param options.live ask whether it answers; otherwise whether it is ready
 * @throws ConfigError when it listens nowhere, or at an unknown port
 */
export async function askHealth(
  { host, port, adminListener, roles }: Pick<Config, 'host' | 'port' | 'adminListener' | 'roles'>,
  { live }: { live: boolean },
): Promise<Health> {
  if (adminListener === null && !isPublic(roles)) {
    throw new ConfigError(
      'A server that only runs workers listens nowhere, so it cannot be asked: set SVC_ADMIN_PORT.',
    );
  }
  const listener = adminListener ?? { host, port };
  if (listener.port === 0) {
    throw new ConfigError(
      `The port is not known, because ${adminListener === null ? 'SVC_PORT' : 'SVC_ADMIN_PORT'} is 0: set it to a number.`,
    );
  }
  const url = listenUrl(listener.host, listener.port);
  const wanted = live ? 'live' : 'ready';
  try {
    const { status, body } = await fetchText(`${url}/health/${wanted}`);
    if (status === 200) return { ok: true, message: `The server on ${url} is ${wanted}.` };
    return { ok: false, message: `The server on ${url} is not ${wanted}: ${reasonOf(status, body)}` };
  } catch (error) {
    return { ok: false, message: `No answer from ${url}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** With `node:http`, because the first `fetch` of a process takes as long as the rest of this command. */
function fetchText(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const timeout = new Error(`nothing within ${TIMEOUT_MS / 1_000} seconds`);
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body })).once('error', reject);
    });
    request.once('error', (error) => reject(error.name === 'AbortError' ? timeout : error));
  });
}

/** Names the failed checks, else repeats the answer. */
function reasonOf(status: number, body: string): string {
  try {
    const { checks, message }: { checks?: Record<string, string>; message?: string } = JSON.parse(body);
    const failed = Object.entries(checks ?? {}).flatMap(([name, result]) => (result === 'ok' ? [] : [name]));
    return failed.length > 0 ? failed.join(', ') : (message ?? `status ${status}`);
  } catch {
    return `status ${status}`;
  }
}
