/** Reads `deploy/compose.yaml` as `docker compose` does, as far as that file uses it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../../../scripts/processes.ts';

export const DEPLOY = join(root, 'deploy');

export interface ComposeService {
  image: string;
  command?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  env_file?: string;
  read_only?: boolean;
  tmpfs?: readonly string[];
  cap_drop?: readonly string[];
  security_opt?: readonly string[];
  mem_limit?: string;
  pids_limit?: number;
  networks: readonly string[];
  ports?: readonly string[];
  stop_grace_period?: string;
  healthcheck?: { test?: readonly string[]; disable?: boolean };
  depends_on?: Readonly<Record<string, { condition: string }>>;
}

export interface ComposeFile {
  services: Readonly<Record<string, ComposeService>>;
  networks: Readonly<Record<string, { internal?: boolean } | null>>;
}

export function readComposeText(): string {
  return readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8');
}

/**
 * @param env the variables of `.env`
 * @throws Error for a variable that is required and missing
 */
export function readCompose(env: Readonly<Record<string, string>>): ComposeFile {
  return interpolate(parse(readComposeText(), { merge: true }), env);
}

/** Replaces `${NAME:-default}` and `${NAME:?message}` in every text. */
function interpolate<T>(value: T, env: Readonly<Record<string, string>>): T {
  return JSON.parse(JSON.stringify(value), (_key, part) => (typeof part === 'string' ? fillIn(part, env) : part));
}

function fillIn(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = env[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
}

/** Reads lines `NAME=value`, as of `compose.env.example`. */
export function parseEnvFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
