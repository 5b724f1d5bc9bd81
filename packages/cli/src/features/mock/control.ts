import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import type { Credentials } from '../../config/credentials.ts';
import { createFetch } from '../../command/create-fetch.ts';

/** Path of the mock's control endpoints, which a real service does not have. */
const CONTROL_PATH = '/__svc';

export interface TriggerBody {
  readonly type: string;
  readonly connectionId?: number;
  readonly sourceId?: number;
  readonly summary?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface MockControl {
  /**
   * Makes the mock emit an event. @returns the event's id
   * @throws CliError with the message of the mock if it refuses (exit 2) or has no such key (exit 4)
   */
  trigger(body: TriggerBody): Promise<string>;
}

/**
 * Returns the control endpoints of the mock, or null for a real service. The key is not sent to find out.
 *
 * @throws CliError (exit 8) if nothing answers
 */
export async function findMockControl(
  { baseUrl, baseUrlSource, apiKey }: Credentials,
  timeoutMs: number,
): Promise<MockControl | null> {
  const fetch = createFetch(baseUrl);
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const { method = 'GET' } = init;
    const url = baseUrl.replace(/\/+$/, '') + CONTROL_PATH + path;
    try {
      // A real service may redirect to another host.
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(new Request(url, { ...init, redirect: 'manual', signal }));
      return { status: response.status, value: parseJson(await response.text()) };
    } catch (error) {
      const hint = `Is the service running at ${baseUrl}? The address comes from ${baseUrlSource}.`;
      throw new CliError(
        'network',
        EXIT_CODES.unavailable,
        `${method} ${CONTROL_PATH}${path} got no answer`,
        hint,
        error,
      );
    }
  };
  const health = await send('/health');
  const isMock = health.status === 200 && health.value['status'] === 'ok' && typeof health.value['worlds'] === 'number';
  if (!isMock) return null;
  return {
    async trigger(body) {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` };
      const { status, value } = await send('/trigger', { method: 'POST', headers, body: JSON.stringify(body) });
      const { eventId, message } = value;
      if (typeof eventId === 'string') return eventId;
      if (status === 400) throw new CliError('bad_request', EXIT_CODES.usage, String(message));
      // No world of the mock has the key.
      if (status === 404) throw new CliError('not_authenticated', EXIT_CODES.notAuthenticated, String(message));
      throw new CliError('invalid_response', EXIT_CODES.unexpected, `The mock answered ${status} without an event`);
    },
  };
}

interface Answer {
  readonly status: number;
  readonly value: Readonly<Record<string, unknown>>;
}

function parseJson(text: string): Answer['value'] {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
