import { type Environment, readEnvironment } from '../../config/environment.ts';
import { describeOverrides, describeVariable } from '../../config/overrides.ts';
import { readProfiles } from '../../config/profiles.ts';
import type { SettingName } from './settings.ts';

/** Says which environment variables win over the default profile; empty without one. */
export function notesOnDefaultProfile(configDir: string, environment: Environment = readEnvironment()): string[] {
  const { active, profiles } = readProfiles(configDir);
  const profile = active === null || !Object.hasOwn(profiles, active) ? undefined : profiles[active];
  if (active === null || profile === undefined) return [];
  const overrides = describeOverrides(environment, { name: active, baseUrl: profile.baseUrl });
  return overrides.map((text) => `The default profile is ${active}. ${text}`);
}

/** Says which environment variable wins over a default that `svc config` sets. */
export function notesOnSetting(
  name: SettingName,
  configDir: string,
  environment: Environment = readEnvironment(),
): string[] {
  if (name === 'profile') return notesOnDefaultProfile(configDir, environment);
  const variables: Partial<Record<SettingName, readonly [variable: string, value: string | null]>> = {
    'base-url': ['SVC_BASE_URL', environment.baseUrl],
    'header-prefix': ['SVC_HEADER_PREFIX', environment.headerPrefix],
  };
  const [variable, value] = variables[name] ?? ['', null];
  return value === null
    ? []
    : [`${describeVariable(variable, value)} and wins over ${name}; unset it to use the default.`];
}
