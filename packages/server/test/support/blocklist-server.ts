/** A test server that creates block lists per test, so that no test depends on another. */
import { Writable } from 'node:stream';
import type { BlocklistStatus, BlockType } from '@svc/contract/vocabulary';
import { pino } from 'pino';
import { expect } from 'vitest';
import type { Backend } from '@svc/engine/test/backends';
import { type Answer, startTestServer, type TestServer } from './harness.ts';
import { settleWithin } from './replies.ts';

export interface NewList {
  /** Addresses, domains or names, as the simulated CRM accepts them. Default: 3 addresses. */
  members?: readonly string[];
  /** Type of the CRM list's members. Default contacts. */
  objectType?: 'contacts' | 'companies';
  blockType?: BlockType;
  platform?: string;
  clientId?: string | null;
  /** Default: the instance of the installation. */
  instanceUrl?: string | null;
  /** Null for none. Default: a token of its own. */
  token?: string | null;
  crmListId?: string | null;
  status?: BlocklistStatus;
  connectionId?: number;
}

export interface MadeList {
  id: number;
  crmListId: string;
  token: string;
}

/** Called when a call goes out, before it is made; a response that it returns is the answer. */
export type OnCall = (url: string) => Promise<Response | void> | Response | void;

export interface BlocklistServer extends TestServer {
  makeList(options?: NewList): Promise<MadeList>;
  act(id: number | string, action: 'resync' | 'pause', key?: string): Promise<Answer>;
  /** Returns the list as the API shows it. */
  show(id: number, key?: string): Promise<Answer['json']>;
  /** Returns the list's current local entries. */
  entries(id: number): Promise<{ value: string; isPushed: boolean }[]>;
  /** Advances the clock by this much and runs everything when it is due. */
  settle(withinMs?: number): Promise<void>;
  jobs(): Promise<{ kind: string; ref: string; state: Record<string, unknown>; due_at: Date }[]>;
  /** Sets a callback before every call to CRM and sequencer, until `reset`. */
  onCall(callback: OnCall): void;
  /** Returns everything logged so far. */
  logged(): string;
  /** Deletes jobs, recorded calls, entries at the sequencer and the callback. */
  reset(): Promise<void>;
}

export const addresses = (count: number, host = 'members.example.org'): string[] =>
  Array.from({ length: count }, (_, index) => `m${String(index).padStart(5, '0')}@${host}`);

export async function startBlocklistServer(backend: Backend): Promise<BlocklistServer> {
  let callback: OnCall | null = null;
  let logText = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logText += String(chunk);
      done();
    },
  });
  const server = await startTestServer(backend, {
    log: pino({ level: 'trace' }, sink),
    fetch: async (input, init) => {
      const answer = await callback?.(new Request(input).url);
      return answer ?? fetch(input, init);
    },
  });
  const { db, clock, crm } = server;
  let made = 0;

  const act: BlocklistServer['act'] = (id, action, key = 'osapi_demo_write') =>
    server.post(`/api/v1/blocklists/${id}/${action}`, '', { authorization: `Bearer ${key}` });

  return {
    ...server,
    async makeList(options = {}) {
      made += 1;
      const {
        members = addresses(3),
        objectType = 'contacts',
        blockType = 'ADDRESS',
        platform = 'smartlead',
      } = options;
      const {
        clientId = null,
        instanceUrl = null,
        status = 'CREATED',
        connectionId = 1,
        crmListId = String(50_000 + made),
      } = options;
      const token = options.token === undefined ? `sequencer-key-${made}/+` : options.token;
      const { rows } = await db.query<{ id: number }>(
        `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled,
          client_id, instance_url, created_at)
        values ($1, $2, 'HUBSPOT', $3, $4, $5, $6, true, $7, $8, $9) returning id`,
        [connectionId, `List ${made}`, crmListId, platform, blockType, status, clientId, instanceUrl, clock.now()],
      );
      const id = rows[0]?.id ?? 0;
      if (token !== null) {
        const sealed = server.running.ctx.secrets.encrypt(token, { kind: 'sequencer token', id });
        await db.query('update blocklists set sequencer_token = $2 where id = $1', [id, sealed]);
      }
      if (crmListId !== null) crm.createList({ listId: crmListId, name: `List ${made}`, objectType, members });
      return { id, crmListId: crmListId ?? '', token: token ?? '' };
    },
    act,
    async show(id, key = 'osapi_demo_read') {
      const { json } = await server.get('listBlocklists', '/api/v1/blocklists', key);
      return json.blocklists.find((list: { id: number }) => list.id === id);
    },
    async entries(id) {
      const { rows } = await db.query<{ value: string; isPushed: boolean }>(
        `select e.value, e.pushed_at is not null as "isPushed" from blocklist_entries e
          join blocklists l on l.id = e.blocklist_id and l.entries_generation = e.generation
          where l.id = $1 order by e.value`,
        [id],
      );
      return rows;
    },
    settle: (withinMs = 0) => settleWithin(server, withinMs),
    async jobs() {
      const { rows } = await db.query<{ kind: string; ref: string; state: Record<string, unknown>; due_at: Date }>(
        'select kind, ref, state, due_at from jobs order by id',
      );
      return rows;
    },
    onCall(next) {
      callback = next;
    },
    logged: () => logText,
    async reset() {
      callback = null;
      await db.query('truncate jobs');
      server.sequencer.reset();
      clock.advance(1_000);
    },
  };
}

/** Expects that the stored counts match the list's entries. */
export async function expectCountsToHold(server: BlocklistServer, id: number): Promise<void> {
  const { rows } = await server.db.query<{ counted: number[]; held: number[] }>(
    `select array[l.synced_count, l.pending_count]::bigint[] as counted,
        array[count(e.pushed_at), count(*) filter (where e.value is not null and e.pushed_at is null and e.refused_at is null)] as held
      from blocklists l
      left join blocklist_entries e on e.blocklist_id = l.id and e.generation = l.entries_generation
      where l.id = $1 group by l.id`,
    [id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.counted).toEqual(rows[0]?.held);
}
