/** An address for each page of the route table. */
import type { Route } from '../../../src/pages/route.ts';

/** Account 1 of the demo world has something of everything. A new page of one thing needs a line here. */
const EXAMPLES: Readonly<Record<string, string>> = {
  connections: '1',
  sources: '1',
  destinations: '1',
  relays: '1',
  blocklists: '1',
  requests: '5001',
  syncs: '1001',
  deliveries: '3001',
  webhooks: 'oswhk_demo01',
  events: 'osevt_demo0001',
  'webhook-deliveries': 'oswhd_demo0001',
  people: encodeURIComponent('zoe.tanaka@example.org'),
};

/** Returns the address of an example of the page. @param ids of things that are not of the demo world */
export function exampleOf({ path, scope }: Route, ids: Readonly<Record<string, string>> = {}): string {
  const filled = path.replaceAll(/\/([\w-]+)\/:\w+/g, (_, thing: string) => {
    const example = ids[thing] ?? EXAMPLES[thing];
    if (example === undefined) throw new Error(`${path}: name an example of ${thing} in EXAMPLES`);
    return `/${thing}/${example}`;
  });
  return scope === 'account' ? `/accounts/1${filled}` : filled;
}
