import { CliError } from '../../errors/cli-error.ts';
import type { Environment } from '../../config/environment.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { type ProfileStore, requireProfile } from '../../config/profiles.ts';

/**
 * Returns the names of the profiles to remove.
 *
 * @throws CliError (exit 4) if no key is stored; (exit 2) if the named profile does not exist
 */
export function chooseLogouts(
  flags: { readonly profile?: string | undefined; readonly all?: boolean },
  environment: Pick<Environment, 'profile' | 'apiKey'>,
  store: ProfileStore,
): string[] {
  const names = Object.keys(store.profiles);
  if (names.length === 0) {
    const hint = environment.apiKey === null ? null : 'The key in use comes from SVC_API_KEY. Unset the variable.';
    throw new CliError('not_logged_in', EXIT_CODES.notAuthenticated, 'No key is stored on this machine', hint);
  }
  if (flags.all === true) return names;
  const [name, source] =
    flags.profile === undefined ? [environment.profile, 'SVC_PROFILE'] : [flags.profile, '--profile'];
  const chosen = name ?? store.active;
  if (chosen === null) {
    const problem = `There is no default profile. Profiles: ${names.join(', ')}`;
    throw new CliError('not_logged_in', EXIT_CODES.notAuthenticated, problem, 'Use --profile NAME or --all.');
  }
  requireProfile(store, chosen, name === null ? null : source);
  return [chosen];
}
