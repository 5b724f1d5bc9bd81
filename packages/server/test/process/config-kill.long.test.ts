/**
 * Configuration files with real processes: `config apply` of thirty clients is killed at several moments, and afterwards
 * everything or nothing is there; removals that a kill prevents are in the next plan. The commands of the document run as they are.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startHubspotSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { COMPILE_CACHE, runServerCommand, runServerCommandHere, SERVER } from '../support/processes.ts';

const CLIENTS = 30;
const STEPS = CLIENTS * 5;
/** Clients on the embedded database, which each command has to open. */
const FEW = 10;
/** When an apply is killed: at its first call of the CRM, and at these parts of the time between its last call and its end. */
const KILLED_AT = [null, 0.5];
/** On the embedded database, time from the last call of the CRM to the kill: a small part of the writes. */
const KILLED_AFTER_MS = 50;
const databaseUrl = inject('databaseUrl');
const docs = await readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
const blocksOf = (language: string) =>
  [...docs.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const [, template = ''] = blocksOf('yaml');

/** The template of the document with clients of their own for each round. A token says which portal it is of. */
function clientsOf(round: number, change = (text: string) => text, count = CLIENTS): string {
  const [head = ''] = template.split('accounts:\n');
  const accounts = Array.from({ length: count }, (_, index) => {
    const name = `client-${round}-${index}`;
    const portalId = `${1_000 * (round + 2) + index}`;
    const domain = `${name}.example.com`;
    const values = { email: `kim@${domain}`, portalId, domain, rep: `rep@${domain}`, token: `TOKEN_${portalId}` };
    return { name, template: 'hubspot-client', with: values };
  });
  return change(head) + stringify({ accounts });
}

const tokens = Object.fromEntries(
  [...Array(KILLED_AT.length + 1).keys()].flatMap((round) =>
    Array.from({ length: CLIENTS }, (_, index) => {
      const portalId = 1_000 * (round + 2) + index;
      return [`TOKEN_${portalId}`, `token-${portalId}`];
    }),
  ),
);

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Makes a database, a folder for files, and a CRM that knows the portals of the tokens. @param onCall is called after each call of the CRM */
async function prepare(backend: string, onCall = () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-config-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const crm = await startHubspotSimulator({
    describeToken: (token) => ({ hubId: Number(token.split('-')[1]) }),
    onExchange: onCall,
  });
  cleanUps.push(() => crm.close());
  const database = backend === 'pglite' ? null : await createTestDatabase(databaseUrl ?? '');
  if (database !== null) cleanUps.push(() => database.drop());
  const env = {
    ...tokens,
    ...(database === null ? { SVC_DATA_DIR: join(folder, 'data') } : { DATABASE_URL: database.url }),
    SVC_ENCRYPTION_KEY: generateEncryptionKey(),
    SVC_LOG_LEVEL: 'error',
    SVC_HUBSPOT_URL: crm.url,
  };
  expect(await runServerCommandHere(['migrate'], env)).toMatchObject({ code: 0 });
  return { folder, env, file: join(folder, 'clients.yaml') };
}

function commandsFor(file: string, env: Record<string, string>) {
  return {
    async plan(...more: string[]) {
      const { code, stdout } = await runServerCommandHere(['config', 'plan', file, '--json', ...more], env);
      return { code, ...JSON.parse(stdout) };
    },
    /** Starts the command that applies a plan, in a process of its own. */
    start(planId: string, ...more: string[]) {
      const args = [SERVER, 'config', 'apply', file, '--plan', planId, ...more];
      const child = spawn(process.execPath, args, {
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
        stdio: 'ignore',
      });
      return { child, code: once(child, 'close').then(([code]: (number | null)[]) => code) };
    },
  };
}

describe('config apply that is killed', () => {
  test.skipIf(databaseUrl === null)(
    `PostgreSQL, ${CLIENTS} clients and ${KILLED_AT.length + 1} SIGKILLs: everything or nothing, and the same command does the rest`,
    async () => {
      let calls = 0;
      let lastCallMs = 0;
      let onCall = () => {};
      const { env, file } = await prepare('postgres', () => {
        calls += 1;
        lastCallMs = performance.now();
        onCall();
      });
      const { plan, start } = commandsFor(file, env);
      await writeFile(file, clientsOf(0));
      let startUpMs = 0;
      const { planId: firstId } = await plan();
      const begunMs = performance.now();
      onCall = () => {
        startUpMs ||= performance.now() - begunMs;
      };
      expect(await start(firstId).code).toBe(0);
      const [workMs, allCalls] = [performance.now() - lastCallMs, calls];

      const left: number[] = [];
      for (const [index, part] of KILLED_AT.entries()) {
        await writeFile(file, clientsOf(index + 1));
        const { planId, steps, code } = await plan();
        expect([code, steps.length]).toEqual([2, STEPS]);
        calls = 0;
        const isTime = new Promise<void>((resolve) => {
          onCall = () => {
            if (calls === (part === null ? 1 : allCalls)) resolve();
          };
        });
        const { child, code: ended } = start(planId);
        await isTime;
        if (part !== null) await wait(workMs * part);
        child.kill('SIGKILL');
        await ended;
        left.push((await plan()).steps.length);
        expect(await runServerCommandHere(['config', 'apply', file, '--plan', planId], env)).toMatchObject({ code: 0 });
        expect(await plan()).toMatchObject({ code: 0, steps: [] });
      }
      expect(left[0]).toBe(STEPS);
      expect(left.filter((count) => count !== 0 && count !== STEPS)).toEqual([]);

      const source = / {10}- name: linkedin\n {12}platform: heyreach\n/;
      await writeFile(
        file,
        clientsOf(0, (text) => text.replace(source, '')),
      );
      const pruned = await plan('--prune');
      expect([pruned.code, pruned.steps.length]).toEqual([2, CLIENTS]);
      const { child, code: ended } = start(pruned.planId, '--prune');
      await wait(startUpMs + workMs / 3);
      child.kill('SIGKILL');
      await ended;
      const rest = await plan('--prune');
      const again = ['config', 'apply', file, '--prune', '--plan', rest.planId];
      expect(await runServerCommandHere(again, env)).toMatchObject({ code: 0 });
      expect(await plan('--prune')).toMatchObject({ code: 0, steps: [], unlisted: [] });
    },
    300_000,
  );

  test(`embedded database, ${FEW} clients and a SIGKILL among the writes: everything or nothing`, async () => {
    let onCall = () => {};
    const { env, file } = await prepare('pglite', () => onCall());
    const { plan, start } = commandsFor(file, env);
    let isKilled = false;
    // On a busy machine the command may have ended before it is killed: then the next clients show what a kill does.
    for (let round = 0; round <= KILLED_AT.length && !isKilled; round += 1) {
      await writeFile(file, clientsOf(round, undefined, FEW));
      const { planId } = await plan();
      let calls = 0;
      const lastCall = new Promise<void>((resolve) => {
        onCall = () => {
          calls += 1;
          if (calls === FEW) resolve();
        };
      });
      const { child, code: ended } = start(planId);
      await lastCall;
      await wait(KILLED_AFTER_MS);
      child.kill('SIGKILL');
      const code = await ended;
      expect([null, 0]).toContain(code);
      isKilled = code === null;
      expect(isKilled ? [0, FEW * 5] : [0]).toContain((await plan()).steps.length);
      expect(await runServerCommandHere(['config', 'apply', file, '--plan', planId], env)).toMatchObject({ code: 0 });
      expect(await plan()).toMatchObject({ code: 0, steps: [] });
    }
    expect(isKilled).toBe(true);
  }, 300_000);
});

test('the commands of the document, and the exit codes of the command', async () => {
  const { folder, env, file } = await prepare(databaseUrl === null ? 'pglite' : 'postgres');
  const oneClient = (round: number) => clientsOf(round, undefined, 1);
  await writeFile(file, oneClient(0));
  const [daily = '', prune = '', pipeline = ''] = blocksOf('sh');
  const lines = [pipeline, daily, prune].flatMap((block) => block.trim().split('\n'));
  expect(lines).toHaveLength(8);
  let planId = '';
  for (const line of lines) {
    const command = line.replace('"$(jq -r .planId plan.json)"', planId);
    const [, words = '', output, drifts] =
      /^svc-server (.*?)(?: > (\S+))?( \|\| test \$\? -eq 2)?$/.exec(command) ?? [];
    const args = words.split(' ').map((word) => (word === 'clients.yaml' ? file : word));
    const { code, stdout } = await runServerCommandHere(args, env);
    expect([line, code]).toEqual([line, drifts === undefined ? 0 : 2]);
    if (output !== undefined) await writeFile(join(folder, output), stdout);
    if (output === 'plan.json') ({ planId } = JSON.parse(stdout));
  }
  const check = async () => (await runServerCommand(['config', 'check', file], env)).code;
  expect(await check()).toBe(0);
  await writeFile(file, oneClient(1));
  expect(await check()).toBe(2);
  await writeFile(file, 'version: 2');
  expect(await check()).toBe(1);
}, 300_000);
