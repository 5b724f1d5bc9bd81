import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebhookHeaders } from '@svc/sdk/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

describe.runIf(hasTmux())('webhooks in a terminal of 80 columns', () => {
  let service: MockService;
  let terminal: Terminal;
  beforeAll(async () => {
    await buildCli();
    service = await startMockService();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    service.mock.snapshot('before');
    terminal = await openTerminal({ columns: 80, server: service });
  });
  afterEach(() => {
    service.mock.restore('before');
    terminal.close();
  });

  test('list keeps the columns that identify webhooks', async () => {
    terminal.svc('webhooks', 'list');
    await terminal.shows(/^oswhk_demo02 +active +https:\/\/alerts\.example\.org\/pager/m);
    expect(await terminal.exitCode()).toBe(0);
  });

  test('delete asks for confirmation', async () => {
    terminal.svc('webhooks', 'delete', 'oswhk_demo02');
    await terminal.shows('Delete webhook oswhk_demo02 and abandon its pending deliveries? [y/N]');
    terminal.type('n');
    await terminal.shows('Nothing was done');
    expect(await terminal.exitCode()).toBe(130);
    service.mock.verify({ operation: 'deleteWebhook', times: 0 });

    terminal.svc('webhooks', 'delete', 'oswhk_demo02');
    await terminal.shows('[y/N]');
    terminal.type('y');
    await terminal.shows('Deleted webhook oswhk_demo02');
    expect(await terminal.exitCode()).toBe(0);
  });

  test('rotate-secret: Ctrl-C at the prompt changes nothing', async () => {
    terminal.svc('webhooks', 'rotate-secret', 'oswhk_demo02');
    await terminal.shows('[y/N]');
    terminal.press('C-c');
    await terminal.shows('Interrupted');
    expect(await terminal.exitCode()).toBe(130);
    service.mock.verify({ operation: 'rotateWebhookSecret', times: 0 });
  });

  test('rotate-secret: the end of the input counts as no', async () => {
    terminal.svc('webhooks', 'rotate-secret', 'oswhk_demo02');
    await terminal.shows('[y/N]');
    terminal.press('C-d');
    await terminal.shows('Nothing was done');
    expect(await terminal.exitCode()).toBe(130);
    service.mock.verify({ operation: 'rotateWebhookSecret', times: 0 });
  });

  test('verify asks for the secret and does not show it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'));
    const payload = '{"id":"osevt_1","type":"test.ping","created":"2026-01-15T12:00:00Z","summary":"Ping","data":{}}';
    const headers = await createWebhookHeaders({ payload, secret: 'oswhsec_typed' });
    writeFileSync(join(folder, 'body'), payload);
    writeFileSync(join(folder, 'headers'), JSON.stringify(headers));
    terminal.svc('webhooks', 'verify', join(folder, 'body'), '--headers-file', join(folder, 'headers'));
    await terminal.shows('Signing secret:');
    terminal.type('oswhsec_typed');
    await terminal.shows('Signature  valid');
    expect(terminal.screen()).not.toContain('oswhsec_typed');
    expect(await terminal.exitCode()).toBe(0);
  });

  test('sign: a body cannot be typed', async () => {
    terminal.type('export SVC_WEBHOOK_SECRET=x');
    terminal.svc('webhooks', 'sign');
    await terminal.shows('No body is given');
    expect(await terminal.exitCode()).toBe(2);
  });
});
