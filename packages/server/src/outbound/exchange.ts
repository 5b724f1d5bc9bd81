/** One POST and its answer on an open connection. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { ANSWER_BYTES_MAX } from '@svc/domain/network/outbound-call';

export interface ExchangeCall {
  headers: Record<string, string>;
  /** Text is sent as UTF-8, bytes unchanged. */
  body: string | Uint8Array;
  signal: AbortSignal;
  /** Called after a complete answer when the connection can be used again; otherwise it is closed. */
  onFree: (answer: IncomingMessage) => void;
}

/**
 * Posts, and reads at most `ANSWER_BYTES_MAX` of the answer's body. Returns the status.
 *
 * @throws Error when the connection breaks, the answer is not HTTP, or the signal aborts
 */
export function exchange(socket: Socket, url: URL, { headers, body, signal, onFree }: ExchangeCall): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, Host: url.host, 'Content-Length': Buffer.byteLength(body), Connection: 'keep-alive' },
    });
    const onAbort = () => outgoing.destroy(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      const { statusCode = 0 } = answer;
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= ANSWER_BYTES_MAX) return;
        // The answer is not used; stop reading endless ones.
        resolve(statusCode);
        socket.destroy();
      });
      answer.once('end', () => {
        resolve(statusCode);
        // An answer that came before the whole request was sent leaves an unclear rest.
        if (outgoing.writableFinished) socket.once('free', () => onFree(answer));
        else socket.destroy();
      });
      answer.once('error', reject);
    });
    outgoing.end(body);
  });
}
