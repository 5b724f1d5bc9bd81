import type { WebhookEndpointWithSecret } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { printRecord } from '../../format/record.ts';
import { printNotice } from '../../terminal/stderr.ts';
import { setLossReport } from '../../terminal/stdout.ts';
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
    const explain = (error: Error) => toLostSecret(webhook.id, error);
    setLossReport(explain);
    const secretLine = { label: 'Secret', text: webhook.secret, tone: 'strong' as const };
    const lines = () => [...webhookLines(webhook), secretLine];
    // A program of `--jq` fails only now.
    await printRecord(webhook, { isJson, fields, lines }).catch((error: Error) => Promise.reject(explain(error)));
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

function toLostSecret(id: string, error: Error): CliError {
  const message = `The secret of ${id} was not printed and is lost. ${error.message}`;
  const hint = `The webhook exists and signs with it. \`svc webhooks rotate-secret ${id} --secret-file FILE\` stores another one.`;
  return new CliError('secret_lost', EXIT_CODES.unexpected, message, hint, error);
}
