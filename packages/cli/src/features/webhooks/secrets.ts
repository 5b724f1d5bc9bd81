import { usageError } from '../../errors/cli-error.ts';
import { readWebhookSecret } from '../../config/environment.ts';
import { readPayload } from './read-payload.ts';
import { readSecret } from '../../command/read-secret.ts';

/**
 * Reads signing secrets from the files, one per line, else from SVC_WEBHOOK_SECRET, else from a hidden prompt.
 *
 * @param isStdinTaken whether the body is read from stdin, so that no prompt is possible
 * @throws CliError (exit 2) if there is no secret
 */
export async function readWebhookSecrets(
  files: readonly string[],
  { isStdinTaken }: { readonly isStdinTaken: boolean },
): Promise<string[]> {
  if (files.length > 0) return (await Promise.all(files.map(readSecretFile))).flat();
  const fromEnvironment = readWebhookSecret();
  if (fromEnvironment !== null) return [fromEnvironment];
  if (!isStdinTaken && process.stdin.isTTY) return [await readSecret('Signing secret: ')];
  throw usageError('No signing secret is given', 'Set SVC_WEBHOOK_SECRET, or add --secret-file FILE.');
}

/** Reads the first secret of a file or stdin. @throws CliError (exit 2) if there is none */
export async function readOneSecret(file: string): Promise<string> {
  const [secret = ''] = await readSecretFile(file);
  return secret;
}

async function readSecretFile(file: string): Promise<string[]> {
  const text = new TextDecoder().decode(await readPayload(file));
  const secrets = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (secrets.length === 0) throw usageError(`${file} contains no secret`);
  return secrets;
}
