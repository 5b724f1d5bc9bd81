import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../../runtime/clock.ts';
import type { Database } from './db.ts';
import { createReplicas, parseLsn, type Replicas } from './replicas.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

/** A host that tells its position and does nothing else. */
function host(name: string, lsn: string | null) {
  const state = { lsn, system: '7', error: null as Error | null };
  const db = {
    query: async () => {
      if (state.error) throw state.error;
      return { rows: [{ lsn: state.lsn, system: state.system }], rowCount: 1 };
    },
    close: async () => {},
  } as unknown as Database;
  return { name, db, state };
}

describe('replicas', () => {
  const clock = createManualClock(NOW);
  let replicas: Replicas;
  let warnings: string[];
  afterEach(() => replicas.close());

  function start(primary: ReturnType<typeof host>, ...hosts: ReturnType<typeof host>[]) {
    warnings = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
    replicas = createReplicas({ primary: primary.db, hosts, clock, log });
    return settle();
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await settle();
    }
  };
  const chosen = (lsn: string | null = null) => {
    const choice = replicas.choose(lsn);
    return choice.db === null ? choice.reason : choice.db;
  };

  test('one that has replayed everything is used, also while the primary is idle', async () => {
    const standby = host('db2', '0/500');
    await start(host('db1', '0/500'), standby);
    expect(chosen()).toBe(standby.db);
    await pass(600_000);
    expect(chosen()).toBe(standby.db);
    expect(replicas.lagMs()).toBe(0);
    expect(warnings).toEqual([]);
  });

  test('one that stands still is used for two seconds, and again when it has caught up', async () => {
    const primary = host('db1', 'FF/FFFFFFF0');
    const standby = host('db2', 'FF/FFFFFFF0');
    await start(primary, standby);
    primary.state.lsn = '100/10';
    await pass(2_000);
    expect(chosen()).toBe(standby.db);
    await pass(500);
    expect([chosen(), replicas.lagMs()]).toEqual(['behind', 2_500]);
    await pass(600_000);
    expect(warnings).toEqual(['logs are read from the primary, because no host of DATABASE_READ_URL can be used']);
    standby.state.lsn = '100/10';
    await pass(500);
    expect(chosen()).toBe(standby.db);
    await pass(60_000);
    expect(warnings[1]).toBe('logs are read from a host of DATABASE_READ_URL again');
  });

  test('a key reads where its last write is', async () => {
    const first = host('db2', '0/4FF');
    const second = host('db3', '0/500');
    await start(host('db1', '0/4FF'), first, second);
    expect(chosen('0/4FF')).toBe(first.db);
    expect(chosen('0/500')).toBe(second.db);
    expect(chosen('1/0')).toBe('own_write');
  });

  test.each([
    ['a host that accepts writes', { lsn: null }],
    ['a standby of another database', { system: '8' }],
    ['a host that does not answer', { error: new Error('away') }],
  ])('%s is not used', async (_name, changes) => {
    const standby = host('db2', '0/500');
    await start(host('db1', '0/500'), standby);
    Object.assign(standby.state, changes);
    await pass(500);
    expect(chosen()).toBe('behind');
    expect(warnings).toHaveLength(1);
  });

  test('a promoted standby that continues below the lost primary is compared with its own positions', async () => {
    const primary = host('db1', '0/900');
    const standby = host('db3', '0/700');
    await start(primary, standby);
    expect(chosen()).toBe('behind');
    primary.state.lsn = '0/700';
    await pass(500);
    expect(chosen()).toBe(standby.db);
  });

  test('positions are numbers of 64 bits', () => {
    expect(parseLsn('16/B374D848')).toBe(0x16_b374_d848n);
    replicas = { close: async () => {} } as Replicas;
  });
});
