import { type EventType, PREFIXES, type SubscribableEventType } from '@svc/contract/vocabulary';
import { usageError } from '../../../errors/cli-error.ts';
import { parseHttpUrl } from '../../../config/http-url.ts';
import { readWebhookSecret } from '../../../config/environment.ts';
import { readOneSecret } from '../secrets.ts';

/** @throws CliError for `test.ping`, which webhooks cannot subscribe to */
export function parseSubscribableTypes(types: readonly EventType[] | undefined): SubscribableEventType[] | undefined {
  return types?.map((type) => {
    if (type !== 'test.ping') return type;
    throw usageError(
      '--type test.ping cannot be used with --tunnel-url',
      '`svc webhooks test ID` delivers a ping regardless of --type.',
    );
  });
}

export function parseForwardTo(text: string): string {
  if (/^\d{1,5}$/.test(text))
    throw usageError(`--forward-to must be an address, not "${text}"`, `Did you mean --forward-to localhost:${text}?`);
  const url = new URL(parseHttpUrl(text, '--forward-to', 'For example http://localhost:3000/hooks.'));
  if (url.username !== '' || url.password !== '') throw usageError('--forward-to has a user name or password in it');
  return url.href;
}

/** Returns null when no secret is given. */
export async function readGivenSecret(file: string | undefined): Promise<string | null> {
  if (file?.startsWith(PREFIXES.webhookSecret)) {
    const hint = 'Put it into a file or SVC_WEBHOOK_SECRET, because other users and the shell history would see it.';
    throw usageError('The secret must not be on the command line', hint);
  }
  return file === undefined ? readWebhookSecret() : readOneSecret(file);
}
