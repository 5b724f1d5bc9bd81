import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns what a platform of the contract still lacks, each as the file to edit and what belongs there: the guide "A sequencer" of
 * CONTRIBUTING.md.
 *
 * @param root the folder of the repository, with a slash at its end
 * @param rows the platforms that `events/platforms.ts` has
 */
export function missingParts(platform: string, root: URL, rows: readonly string[]): string[] {
  const missing: string[] = [];
  const say = (file: string, what: string) => missing.push(`${platform}: ${file}: ${what}`);
  const inEvents = (name: string) => `packages/sequencers/src/events/${name}.ts`;
  if (!existsSync(new URL(inEvents(platform), root))) say(inEvents(platform), 'write the adapter');
  if (!rows.includes(platform)) say(inEvents('platforms'), 'add a row with the adapter to SEQUENCERS');
  const list = `fixtures/payloads/${platform}.json`;
  const payloads: { kind: string; expect: { outcome: string } }[] = existsSync(new URL(list, root))
    ? JSON.parse(readFileSync(new URL(list, root), 'utf8'))
    : [];
  if (!payloads.some(({ kind, expect }) => kind === 'ordinary' && expect.outcome === 'events'))
    say(list, 'add at least one "ordinary" payload that gives events');
  if (payloads.filter(({ kind }) => kind === 'published').length < 3)
    say(list, 'add at least three "published" payloads, each with its source and the day you read it');
  const page = `docs/sequencers/${platform}.md`;
  if (!existsSync(new URL(page, root)))
    say(page, 'write how it is connected, what becomes of its events, and what is unknown');
  return missing;
}
