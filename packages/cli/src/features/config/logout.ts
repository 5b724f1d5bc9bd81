import { CliError } from '../../errors/cli-error.ts';
import type { Environment } from '../../config/environment.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { type ProfileStore, requireProfile } from '../../config/profiles.ts';

/**
 * The profiles whose keys are to go.
 *
 * @throws CliError (exit 4) when there is no key to remove; (exit 2) when the one that is named does not exist
 */
export function chooseLogouts(
  flags: { readonly profile?: string | undefined; readonly all?: boolean },
  environment: Pick<Environment, 'profile' | 'apiKey'>,
  store: ProfileStore,
): string[] {
  const names = Object.keys(store.profiles);
  if (names.length === 0) {
    const hint = environment.apiKey === null ? null : 'The key in use is that of SVC_API_KEY: unset it.';
    throw new CliError('not_logged_in', EXIT_CODES.notAuthenticated, 'No key is stored on this machine', hint);
  }
  if (flags.all === true) return names;
  const [name, namedBy] =
    flags.profile === undefined ? [environment.profile, 'SVC_PROFILE'] : [flags.profile, '--profile'];
  const chosen = name ?? store.active;
  if (chosen === null) {
    const problem = `No profile is the default. There are: ${names.join(', ')}`;
    throw new CliError('not_logged_in', EXIT_CODES.notAuthenticated, problem, 'Name one with --profile, or use --all.');
  }
  requireProfile(store, chosen, name === null ? null : namedBy);
  return [chosen];
}
