import type { WebhookEndpointWithSecret } from '@svc/sdk';
import { printRecord } from '../../format/record.ts';
import { printNotice } from '../../terminal/stderr.ts';
import { webhookLines } from './columns.ts';
import { openSecretFile } from './secret-file.ts';

export interface SecretOutput {
  readonly isJson: boolean;
  readonly fields: readonly string[] | null;
  /** File for the secret; null prints it. */
  readonly file: string | null;
  readonly replacesFile: boolean;
}

/**
 * Prints or stores a secret that the service returns only once. The file is opened before the request, so that the secret
 * is not lost if it cannot be written.
 */
export async function showSecretOnce(
  request: () => PromiseLike<WebhookEndpointWithSecret>,
  { isJson, fields, file, replacesFile }: SecretOutput,
): Promise<void> {
  if (file === null) {
    const webhook = await request();
    const secretLine = { label: 'Secret', text: webhook.secret, tone: 'strong' as const };
    await printRecord(webhook, { isJson, fields, lines: () => [...webhookLines(webhook), secretLine] });
    if (!isJson) printNotice('Store the secret now: it is not shown again.');
    return;
  }
  const target = await openSecretFile(file, { replaces: replacesFile });
  let answer: WebhookEndpointWithSecret;
  try {
    answer = await request();
  } catch (error) {
    await target.discard();
    throw error;
  }
  const { secret, ...webhook } = answer;
  await target.write(secret, webhook.id);
  await printRecord(webhook, { isJson, fields, lines: () => webhookLines(webhook) });
  if (!isJson) printNotice(`The secret is in ${file}: it is not shown again.`);
}
