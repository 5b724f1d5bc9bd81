import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from '@svc/sdk';
import { expectInterrupt } from '../../terminal/interrupts.ts';
import { printNotice } from '../../terminal/stderr.ts';

export interface McpSettings {
  readonly client: Client;
  readonly version: string;
  readonly hidesText: boolean;
  readonly allowsWrites: boolean;
  readonly doctor: () => Promise<readonly object[]>;
}

/** Serves MCP until stdin ends. stdout carries its messages and nothing else. */
export async function serveMcp({ allowsWrites, ...settings }: McpSettings): Promise<void> {
  // A library that logs must not break the protocol.
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  expectInterrupt();
  if (process.stdin.isTTY) printNotice('Waiting for an MCP client on stdin. Ctrl-D ends this.');
  const ended = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  const report = (error: unknown): void =>
    printNotice(`mcp: ${error instanceof Error ? error.message : String(error)}`);
  const [{ serveStdio }, { createServerFactory }, { createPlanBook }] = await Promise.all([
    import('@svc/mcp/stdio'),
    import('@svc/mcp/server'),
    import('@svc/mcp/answers/plan-book'),
  ]);
  const writes = {
    readKey: async () => (await settings.client.me.get()).apiKey,
    plans: createPlanBook({ secret: randomBytes(32), principal: 'stdio', used: new Map(), now: Date.now }),
  };
  const handle = serveStdio(
    createServerFactory({
      ...settings,
      ...(allowsWrites ? { writes } : {}),
      now: Date.now,
      createMark: () => randomBytes(4).toString('hex'),
      onError: report,
    }),
    { onerror: report },
  );
  await ended;
  await handle.close();
}
