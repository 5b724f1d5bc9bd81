import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { Client, CreateWebhookBody, WebhookEndpointWithSecret } from '@svc/sdk';
import { createWebhookHeaders, verifyWebhook, webhookHeaderNames, WebhookVerificationError } from '@svc/sdk/webhooks';
import { CliError } from '../../../errors/cli-error.ts';
import { EXIT_CODES } from '../../../errors/exit-codes.ts';
import { cleanUpOnSignal, exitAfterCleanup, setInterruptHint } from '../../../terminal/interrupts.ts';
import { printError } from '../../../command/print-error.ts';
import { writeStderr } from '../../../terminal/stderr.ts';
import type { ListenOutput } from './output.ts';
import { postLocally } from './post-locally.ts';

const MAX_BODY_BYTES = 1024 * 1024;

export interface Tunnel {
  /** Public address that leads to `port` on this machine. */
  readonly tunnelUrl: string;
  readonly port: number;
  readonly types: CreateWebhookBody['enabledEvents'];
  readonly forwardTo: string;
  /** Secret for a new signature; null: the received headers are forwarded unchanged. */
  readonly secret: string | null;
  readonly headerPrefix: string;
  readonly output: ListenOutput;
}

/**
 * Receives real deliveries: registers a webhook for the tunnel's address and deletes it at the end. Deliveries are
 * verified and forwarded, and the service gets the local server's status, so that it retries as usual.
 */
export async function listenByTunnel(client: Client, tunnel: Tunnel): Promise<never> {
  const { tunnelUrl, types, forwardTo, output } = tunnel;
  let secret = '';
  const server = createServer((request, response) => {
    const answer = (status: number) => response.writeHead(status, { 'content-type': 'text/plain' }).end();
    takeDelivery(request, secret, tunnel).then(answer, () => answer(500));
  });
  await listen(server, tunnel.port);
  const creating = createTemporary(client, tunnelUrl, types);
  const remove = async () => {
    const created = await creating.catch(() => null);
    if (created !== null) await removeWebhook(client, created.id, output);
  };
  cleanUpOnSignal(remove);
  const webhook = await creating.catch((error: unknown) => {
    server.close();
    throw error;
  });
  secret = webhook.secret;
  const onCrash = (error: unknown) =>
    exitAfterCleanup(EXIT_CODES.unexpected, () => {
      printError(error, { isJson: false, credentials: null, write: writeStderr });
    });
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  output.opened({ forwardTo, secret: tunnel.secret === null ? webhook.secret : null, webhookId: webhook.id });
  output.status(`Port ${tunnel.port} receives the deliveries to ${tunnelUrl}`);
  const [error] = await once(server, 'error');
  await remove();
  throw error;
}

async function createTemporary(
  client: Client,
  url: string,
  types: Tunnel['types'],
): Promise<WebhookEndpointWithSecret> {
  const enabledEvents = types === undefined ? {} : { enabledEvents: types };
  return client.webhooks.create({ url, description: 'Temporary: svc webhooks listen', ...enabledEvents });
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const reason = isTaken ? 'another program uses it' : error instanceof Error ? error.message : String(error);
    const message = `Cannot listen on port ${port}: ${reason}`;
    throw new CliError(
      'port',
      EXIT_CODES.usage,
      message,
      'Choose another port with --port N and point the tunnel to it.',
      error,
    );
  }
}

/** Deletes the webhook; after a failure, says how to do it manually. */
async function removeWebhook(client: Client, id: string, output: ListenOutput): Promise<void> {
  const byHand = `svc webhooks delete ${id} --yes`;
  setInterruptHint(`Webhook ${id} may still exist: ${byHand}`);
  output.close();
  try {
    await client.webhooks.delete(id, { timeoutMs: 5000, maxRetries: 1 });
    setInterruptHint(null);
  } catch (error) {
    const isGone = error instanceof Error && 'status' in error && error.status === 404;
    if (isGone) setInterruptHint(null);
    else output.note(`Webhook ${id} could not be removed (${error instanceof Error ? error.message : String(error)}).`);
  }
}

/** Verifies and forwards a delivery. @returns the status to answer with */
async function takeDelivery(request: IncomingMessage, secret: string, tunnel: Tunnel): Promise<number> {
  const { forwardTo, headerPrefix, output } = tunnel;
  if (request.method !== 'POST') return 405;
  const payload = await readBody(request);
  if (payload === null) return 413;
  const names = webhookHeaderNames(headerPrefix);
  const deliveryId = String(request.headers[names.deliveryId.toLowerCase()] ?? '') || null;
  const unknownEvent = {
    eventId: null,
    type: null,
    createdAt: null,
    summary: null,
    deliveryId,
    durationMs: 0,
    attempts: 1,
  };
  try {
    const event = await verifyWebhook({ payload, headers: request.headers, secret, headerPrefix });
    const { id: eventId, created: createdAt, summary } = event;
    const headers =
      tunnel.secret === null
        ? receivedHeaders(request, names)
        : await createWebhookHeaders({
            ...{ payload, secret: tunnel.secret, eventId, headerPrefix },
            ...(deliveryId === null ? {} : { deliveryId }),
          });
    const result = await postLocally(forwardTo, payload, headers);
    await output.event({ ...unknownEvent, eventId, type: String(event.type), createdAt, summary, ...result });
    return result.httpStatus ?? 502;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    await output.event({ ...unknownEvent, httpStatus: null, error: `refused: ${error.message}` });
    return 400;
  }
}

/** Returns null if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function receivedHeaders(
  request: IncomingMessage,
  names: ReturnType<typeof webhookHeaderNames>,
): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': request.headers['content-type'] ?? 'application/json' };
  for (const name of Object.values(names)) headers[name] = String(request.headers[name.toLowerCase()] ?? '');
  return headers;
}
