import { toShellWord } from '../format/shell-quote.ts';
import type { Environment } from './environment.ts';

/** The parts of a stored profile that variables can win over. */
interface StoredProfile {
  readonly name: string;
  readonly baseUrl: string;
}

/**
 * Says which environment variables win over a profile in commands without `--profile`, by the order of `resolveCredentials`.
 * Returns one sentence for each.
 */
export function describeOverrides(environment: Environment, { name, baseUrl }: StoredProfile): string[] {
  const flag = `--profile ${toShellWord(name)}`;
  if (environment.apiKey !== null) {
    return [`SVC_API_KEY is set and wins over this profile; unset it to use the stored key, or add ${flag}.`];
  }
  if (environment.profile !== null && environment.profile !== name) {
    return [`SVC_PROFILE is ${environment.profile} and wins over this profile; unset it, or add ${flag}.`];
  }
  const given = environment.baseUrl;
  if (given === null || isSameAddress(given, baseUrl)) return [];
  const variable = describeVariable('SVC_BASE_URL', given);
  return [`${variable} and wins over the address of this profile, ${baseUrl}; unset it, or add ${flag}.`];
}

/** Returns for example `SVC_BASE_URL is https://sync.example.com`. */
export function describeVariable(name: string, value: string): string {
  // An address with one of these characters may contain a password or a key.
  return /[@?#]/.test(value) ? `${name} is set` : `${name} is ${value}`;
}

function isSameAddress(a: string, b: string): boolean {
  const normalize = (text: string) => (URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : text);
  return normalize(a) === normalize(b);
}
