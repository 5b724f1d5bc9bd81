import { type Comparison, compareWebhooks, type ExpectedWiring, hasPathOf } from './compare.ts';
import type {
  RegisteredWebhook,
  WantedWebhook,
  WebhookAnswer,
  WebhookClient,
  WebhookFailure,
  WebhookTarget,
} from './types.ts';

export interface ConnectResult {
  /** The webhooks that post to the source now. */
  ids: readonly string[];
  /** What was done at the sequencer, as sentences without a full stop; none when everything was right. */
  changes: readonly string[];
  /** Why it is not complete. A later call continues. */
  failure: WebhookFailure | null;
}

/**
 * Makes the sequencer post to a source. It looks first and changes only what differs, so a repeated call changes nothing, and one after a lost
 * answer makes no second webhook.
 */
export async function connectWebhooks(
  client: WebhookClient,
  target: WebhookTarget,
  wanted: WantedWebhook,
  knownIds: readonly string[],
): Promise<ConnectResult> {
  const expected: ExpectedWiring = { url: wanted.url, knownIds };
  const changes: string[] = [];
  const ids = new Set(knownIds);
  const end = (failure: WebhookFailure | null): ConnectResult => ({ ids: [...ids], changes, failure });

  const before = await client.list(target, knownIds);
  if (before.status === 'error') return end(before.failure);
  const found = compareWebhooks(before.value, client, expected);
  for (const step of planSteps(client, found, wanted)) {
    const answer = await step.run(target);
    if (answer.status === 'error') return end(answer.failure);
    changes.push(step.done);
    if (typeof answer.value === 'string') ids.add(answer.value);
  }
  const after = changes.length === 0 ? before : await client.list(target, [...ids]);
  if (after.status === 'error') return end(after.failure);
  const { ours, drifts } = compareWebhooks(after.value, client, expected);
  ids.clear();
  for (const { id } of ours) ids.add(id);
  const [drift] = drifts;
  if (drift === undefined) return end(null);
  return end({ message: `after the calls, ${drifts.join('; ')}`, isTemporary: false });
}

interface Step {
  /** The new webhook's id, if there is one. */
  run(target: WebhookTarget): Promise<WebhookAnswer<string | null>>;
  done: string;
}

function planSteps(client: WebhookClient, { ours, moved, missing, off }: Comparison, wanted: WantedWebhook): Step[] {
  const create = (event: string | null, isReplacement = false): Step => ({
    run: (target) => client.create(target, { ...wanted, isReplacement }, event),
    done: event === null ? 'made a webhook' : `made a webhook for ${event}`,
  });
  const remove = (webhook: RegisteredWebhook, why: string): Step => ({
    run: (target) => client.remove(target, webhook.id),
    done: `removed webhook ${webhook.id}, ${why}`,
  });
  const { enable, setEvents } = client;
  const [first] = ours;
  const steps: Step[] = [];
  if (missing.length > 0) {
    const removals = ours.map((webhook) => remove(webhook, 'which did not post all events'));
    if (client.hasOneEventEach) steps.push(...missing.map((event) => create(event)));
    else if (first === undefined) steps.push(create(null));
    else if (setEvents !== undefined) {
      const events = [...(first.events ?? []), ...missing.flatMap((event) => event ?? [])];
      steps.push({ run: (target) => setEvents(target, first, events), done: `added events to webhook ${first.id}` });
    } else if (client.isUrlUnique) steps.push(...removals, create(null));
    // The new one first: what happens meanwhile comes twice, which is recognized, and not never.
    else steps.push(create(null, true), ...removals);
  }
  if (enable !== undefined && (missing.length === 0 || client.hasOneEventEach)) {
    for (const { id } of off) steps.push({ run: (target) => enable(target, id), done: `switched webhook ${id} on` });
  }
  // One that was pointed elsewhere on purpose stays.
  const outdated = moved.filter(({ url }) => hasPathOf(url, wanted.url));
  return [...steps, ...outdated.map((webhook) => remove(webhook, 'whose URL was an old one of the source'))];
}

/** Removes the webhooks that post to a source. */
export async function disconnectWebhooks(
  client: WebhookClient,
  target: WebhookTarget,
  { url, knownIds }: ExpectedWiring,
): Promise<{ removed: number; failure: WebhookFailure | null }> {
  const found = await client.list(target, knownIds);
  if (found.status === 'error') return { removed: 0, failure: found.failure };
  let removed = 0;
  for (const { id } of compareWebhooks(found.value, client, { url, knownIds: [] }).ours) {
    const answer = await client.remove(target, id);
    if (answer.status === 'error') return { removed, failure: answer.failure };
    removed += 1;
  }
  return { removed, failure: null };
}
