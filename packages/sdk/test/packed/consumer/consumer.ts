/** Compiled by the oldest and the newest TypeScript that are supported, without `skipLibCheck` and without types of Node. */
import {
  ApiError,
  type Client,
  type ClientOptions,
  ConflictError,
  createClient,
  type List,
  type Page,
  RateLimitError,
  type ResumePoint,
  type Sync,
} from '@svc/sdk';
import { type AnswerProblem, createValidator } from '@svc/sdk/validate';
import { createWebhookReceiver, verifyWebhook, type WebhookEvent } from '@svc/sdk/webhooks';

const options: ClientOptions = {
  baseUrl: 'https://api.example.com',
  apiKey: 'osapi_x',
  validate: createValidator('warn', { onProblem: (problem: AnswerProblem) => void problem.field.length }),
};
const client: Client = createClient(options);

export async function useClient(resume?: ResumePoint): Promise<Sync[]> {
  const list: List<Sync> = client.syncs.list({ from: new Date(0), status: 'error', resume });
  for await (const sync of list) {
    const id: number = sync.id;
    // @ts-expect-error -- an id is not a string
    const text: string = sync.id;
    await client.syncs.retry(id, { signal: AbortSignal.timeout(1000) }).catch((error: unknown) => {
      if (error instanceof ConflictError) return error.status === 409;
      if (error instanceof RateLimitError) return error.retryAfterSeconds ?? text;
      throw error instanceof ApiError ? error.requestId : error;
    });
  }
  const pages: AsyncGenerator<Page<Sync>> = list.pages();
  for await (const page of pages) if (page.data[0]?.platform === 'smartlead') break;
  const { data, requestId } = await client.me.get().withResponse();
  const raw = await client.raw.GET('/api/v1/syncs/{id}', { params: { path: { id: data.account.id } } });
  if (raw.data === undefined) throw new Error(requestId ?? JSON.stringify(raw.error));
  // @ts-expect-error -- a path that is not in the contract
  await client.raw.GET('/api/v1/sync');
  return [raw.data];
}

export async function useWebhooks(request: Request): Promise<Response> {
  const receiver = createWebhookReceiver({ secrets: ['oswhsec_x'], onEvent: (event) => void nameOf(event) });
  const event = await verifyWebhook({
    payload: new Uint8Array(await request.clone().arrayBuffer()),
    header: request.headers.get('Service-Signature') ?? '',
    secret: 'oswhsec_x',
  });
  nameOf(event);
  return receiver.fetch(request);
}

function nameOf(event: WebhookEvent): string {
  return event.type === 'sync.failed' ? event.summary : event.type;
}
