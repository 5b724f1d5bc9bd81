import type { Client } from '@svc/sdk';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { fetchFailingSources, readFailingSources } from '@svc/mcp/explain/failing-sources';

/** What has a page, and what it shows. The service names all addresses; none is made up here. */
export const PAGES = {
  docs: 'the reference of the API',
  openapi: 'the OpenAPI document',
  connection: 'ID: where its blocker or warning is fixed',
  source: 'ID: where a failing source is fixed',
  code: 'CODE: what a blocker or warning of `svc status` means',
} as const;

export type PageName = keyof typeof PAGES;

/**
 * Returns the address of a page.
 *
 * @throws CliError (exit 2) for a missing or surplus id, (exit 3) if the service names no page
 */
export async function findPage(client: Client, page: PageName, id: string | undefined): Promise<string> {
  switch (page) {
    case 'docs':
    case 'openapi': {
      if (id !== undefined) throw usageError(`svc open ${page} takes no id, but got ${id}`);
      const { links } = await client.me.get();
      return toWebAddress(page === 'docs' ? links.documentation.href : links.openapi.href);
    }
    case 'connection':
      return findConnectionPage(client, parseId(page, id));
    case 'source':
      return findSourcePage(client, parseId(page, id));
    case 'code':
      return findCodePage(client, id);
  }
}

function parseId(page: PageName, id: string | undefined): number {
  if (id === undefined) throw usageError(`svc open ${page} needs an ID`, `For example svc open ${page} 3.`);
  if (!/^[1-9]\d{0,15}$/.test(id)) throw usageError(`The ID of a ${page} is a number, not ${id}`);
  return Number(id);
}

async function findConnectionPage(client: Client, id: number): Promise<string> {
  const [{ connections, blockers, warnings }, failing] = await Promise.all([
    client.account.status(),
    fetchFailingSources(client),
  ]);
  if (connections.every(({ connectionId }) => connectionId !== id)) {
    const known = connections.map(({ connectionId }) => connectionId).join(', ');
    throw notFound(`Connection ${id} not found`, known === '' ? null : `Connections of this key: ${known}`);
  }
  const fixes = [...blockers, ...warnings, ...failing].filter(({ connectionId }) => connectionId === id);
  const address = firstAddress(fixes.map(({ remediation }) => remediation));
  if (address !== null) return address;
  const text = `The service names no page for connection ${id}, because it reports no blocker or warning for it`;
  throw notFound(text, '`svc status` shows its state.');
}

/**
 * Returns the page on which a disconnected connection is connected again.
 *
 * @param id default: the only disconnected one
 * @throws CliError (exit 2) without an id when several are disconnected, (exit 3) when it is not
 */
export async function findReconnectPage(
  client: Client,
  id: number | undefined,
): Promise<{ connectionId: number; url: string }> {
  const { blockers } = await client.account.status();
  const disconnected = blockers.filter(({ code }) => code === 'crm_disconnected');
  const ids = disconnected.map(({ connectionId }) => connectionId).join(', ');
  if (id === undefined && disconnected.length > 1) {
    throw usageError(`Several connections are disconnected: ${ids}`, 'Name one: svc connections reconnect ID.');
  }
  const blocker = id === undefined ? disconnected[0] : disconnected.find(({ connectionId }) => connectionId === id);
  const url = blocker === undefined ? null : firstAddress([blocker.remediation]);
  if (blocker !== undefined && url !== null) return { connectionId: blocker.connectionId, url };
  const text =
    blocker !== undefined
      ? `Connection ${blocker.connectionId} is disconnected, but the service names no page`
      : id === undefined
        ? 'No connection is disconnected'
        : `Connection ${id} is not disconnected`;
  throw notFound(text, ids === '' ? null : `Disconnected: ${ids}`);
}

async function findSourcePage(client: Client, id: number): Promise<string> {
  const failing = await readFailingSources(client);
  const address = firstAddress(failing.filter(({ sourceId }) => sourceId === id).map(({ remediation }) => remediation));
  if (address !== null) return address;
  const known = failing
    .map(({ sourceId }) => sourceId)
    .toSorted((a, b) => a - b)
    .join(', ');
  const hint = known === '' ? 'No source is failing.' : `Failing sources: ${known}`;
  throw notFound(`The service names no page for source ${id}, because it does not report it as failing`, hint);
}

async function findCodePage(client: Client, code: string | undefined): Promise<string> {
  const { blockers, warnings } = await client.account.status();
  const issues = [...blockers, ...warnings];
  const codes = [...new Set(issues.map((issue) => issue.code))].join(', ');
  const hint = codes === '' ? 'There are no blockers and warnings now.' : `Codes now: ${codes}`;
  if (code === undefined) throw usageError('svc open code needs the CODE of a blocker or warning', hint);
  const issue = issues.find((each) => each.code === code);
  if (issue === undefined) throw notFound(`No connection has the blocker or warning ${code}`, hint);
  return toWebAddress(issue.docUrl);
}

function notFound(message: string, hint: string | null): CliError {
  return new CliError('not_found', EXIT_CODES.notFound, message, hint);
}

/** Returns the first address in texts for people. */
function firstAddress(texts: readonly string[]): string | null {
  for (const text of texts) {
    const found = /https?:\/\/[^\s<>"]+/.exec(text)?.[0].replace(/[).,;:!?]+$/, '');
    if (found !== undefined && URL.canParse(found)) return new URL(found).href;
  }
  return null;
}

/** @throws CliError unless it is an http or https address, because other schemes could start programs */
function toWebAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new CliError(
    'unexpected',
    EXIT_CODES.unexpected,
    `The service names ${text}, which is not an http or https address`,
  );
}
