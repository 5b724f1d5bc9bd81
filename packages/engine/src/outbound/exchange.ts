/** One request and its answer on an open connection. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { ANSWER_BYTES_MAX } from '@svc/domain/network/outbound-call';

export interface ExchangeCall {
  /** Default: POST. */
  method?: string;
  /** Most that is read of the answer's body. Default: `ANSWER_BYTES_MAX`. */
  answerBytesMax?: number;
  headers: Record<string, string>;
  /** Text is sent as UTF-8, bytes unchanged. */
  body: string | Uint8Array;
  signal: AbortSignal;
  /** Called after a complete answer when the connection can be used again; otherwise it is closed. */
  onFree: (answer: IncomingMessage) => void;
}

export interface ExchangeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** At most `answerBytesMax` of the answer's body. */
  body: Buffer;
}

/**
 * Sends the request, and reads at most `answerBytesMax` of the answer's body.
 *
 * @throws Error when the connection breaks, the answer is not HTTP, or the signal aborts
 */
export function exchange(
  socket: Socket,
  url: URL,
  { method = 'POST', answerBytesMax = ANSWER_BYTES_MAX, headers, body, signal, onFree }: ExchangeCall,
): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, Host: url.host, 'Content-Length': Buffer.byteLength(body), Connection: 'keep-alive' },
    });
    const onAbort = () => outgoing.destroy(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    // Without an answer and without an error, for example when the endpoint switches to another protocol.
    const onEndedEarly = () => reject(new Error('The endpoint ended the exchange without an answer'));
    outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.once('close', onEndedEarly);
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      // The connection may close before the answer is read to its end.
      outgoing.off('close', onEndedEarly);
      const { statusCode: status = 0, headers: answerHeaders } = answer;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const finish = () => {
        resolve({ status, headers: answerHeaders, body: Buffer.concat(chunks).subarray(0, answerBytesMax) });
      };
      answer.on('data', (chunk: Buffer) => {
        if (bytes <= answerBytesMax) chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= answerBytesMax) return;
        // The rest is not used; stop reading endless answers.
        finish();
        socket.destroy();
      });
      answer.once('end', () => {
        finish();
        // An answer that came before the whole request was sent leaves an unclear rest.
        if (outgoing.writableFinished) socket.once('free', () => onFree(answer));
        else socket.destroy();
      });
      answer.once('error', reject);
    });
    outgoing.end(body);
  });
}
