/** `svc-server connections add | connect`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasDisplay } from '@svc/engine/config/config';
import { addConnection, connectConnection } from '@svc/operations/declared/connections';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { readSigningKey } from '@svc/operations/implemented/signing-key';
import { handWritten } from './define.ts';
import type { AdminOptions } from './options.ts';
import { call } from './run.ts';

const POLL_MS = 1_000;

export const connections = [
  handWritten(addConnection, {
    async complete(input) {
      const { username, crmToken } = input;
      return username === undefined ? input : { ...input, crmToken: readSigningKey(String(crmToken)) };
    },
  }),
  handWritten(connectConnection, {
    define(command) {
      command
        .option('--no-browser', 'only print the address of the consent page')
        .option('--no-wait', 'do not wait for the consent');
    },
    print: ({ consent }, options) => ({
      text: consent.url,
      note: `Open this address within ten minutes and allow access.${options['wait'] ? ' Waiting ...' : ''}`,
    }),
    async after({ consent }, options) {
      if (options.json) return;
      if (options['browser']) await openBrowser(consent.url);
      if (options['wait']) await waitForResult(consent.id, options);
    },
  }),
];

/** Opens a page in the default browser; does nothing without a desktop. The caller prints the address too. */
async function openBrowser(url: string): Promise<void> {
  if (!process.stdout.isTTY || !hasDisplay()) return;
  const { default: open } = await import('open');
  // Without a browser the printed address is enough.
  await open(url).catch(() => {});
}

/** @throws AdminError when nothing was connected */
async function waitForResult(id: number, options: AdminOptions): Promise<void> {
  for (;;) {
    const result = await call('connections/connect-result', { id }, options);
    if (result.state === 'connected') {
      process.stdout.write(`Connection ${result.connectionId} is connected.\n`);
      return;
    }
    if (result.state === 'failed') throw new AdminError('conflict', result.error ?? 'The CRM refused access.');
    if (result.state === 'expired') throw new AdminError('conflict', 'Nobody allowed access within ten minutes.');
    await sleep(POLL_MS);
  }
}
