/** Options that several commands share. */
import { InvalidArgumentError } from 'commander';
import { type Config, inspectEnvironment, readConfig } from '@svc/engine/config/config';
import { parseRoles, type Role, ROLES_RULE } from '@svc/engine/config/roles';
import type { LogFormat } from '@svc/engine/config/environment-schema';
import { describeUnknown } from '@svc/engine/config/unknown-variables';

/** Flags that override environment variables. */
export interface ConfigOptions {
  dataDir?: string;
  role?: ReadonlySet<Role>;
  port?: number;
  logFormat?: LogFormat;
}

/** The options of every administrative command. */
export interface AdminOptions extends ConfigOptions {
  json?: boolean;
}

/** @throws ConfigError */
export function configFor(options: ConfigOptions): Config {
  const config = readConfig();
  return {
    ...config,
    dataDir: options.dataDir ?? config.dataDir,
    port: options.port ?? config.port,
    roles: options.role ?? config.roles,
    logFormat: options.logFormat ?? config.logFormat,
  };
}

/** Says on stderr which variables of the environment have no effect. */
export function warnOfUnknownVariables(): void {
  for (const unknown of inspectEnvironment().unknown) process.stderr.write(`Warning: ${describeUnknown(unknown)}\n`);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.');
  return port;
}

export function parseRole(text: string): ReadonlySet<Role> {
  const roles = parseRoles(text);
  if (roles === null) throw new InvalidArgumentError(`It ${ROLES_RULE}.`);
  return roles;
}

export function parseId(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError('It must be an id from the list commands.');
  return Number(text);
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}

export function parseSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return text === 'on';
}

/** Adds a value each time the option is given; its `--no-` form resets the list. */
export function collect(text: string, earlier: readonly string[] | false = []): string[] {
  return [...(earlier || []), text];
}
