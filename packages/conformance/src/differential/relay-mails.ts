/** A world in which every platform with payloads has a source with a relay, and the steps that post all of them. */
import { TEMPLATE_FIELDS } from '@svc/domain/relays/relay-template';
import type { WorldInput } from '@svc/domain/world';
import { exampleWorld } from './examples.ts';
import { PAYLOADS } from './payloads.ts';
import type { Step } from './steps.ts';

const PLATFORMS = [...PAYLOADS.keys()];
const DELAY_MINUTES = 7;
const MINUTE_MS = 60_000;

/** Names every field, one a line. */
const TEMPLATE = TEMPLATE_FIELDS.map((field) => `${field}: {{${field}}}`).join('\n');

/** Two sources of each platform: the relay of the first source has a template, the relay of the second an allowlist and the default text. */
export function relayWorld(): WorldInput {
  const world = exampleWorld();
  const [first] = world.sources;
  if (first === undefined) throw new Error('The example world has no source.');
  const sources = PLATFORMS.flatMap((platform, index) =>
    [0, 1].map((variant) => ({ ...first, id: 100 + 2 * index + variant, platform, path: `${platform}-${variant}` })),
  );
  return {
    ...world,
    name: 'relays',
    sources,
    requests: [],
    syncs: [],
    replyRelays: sources.map(({ id, connectionId }) => ({
      ...{ id, connectionId, description: '', ccEmail: `rep-${id}@example.com`, delayMinutes: DELAY_MINUTES },
      bodyTemplates: id % 2 === 0 ? [TEMPLATE] : [],
      categoryAllowlist: id % 2 === 0 ? [] : [{ id: '2', name: 'interested' }],
      sourceIds: [id],
      createdAt: '-30d',
    })),
  };
}

/** Posts every payload to both sources of its platform, lets the delay pass, and does so again: repeats cause no second mail. */
export function relaySteps(): Step[] {
  const posts = PLATFORMS.flatMap((platform, index) =>
    (PAYLOADS.get(platform) ?? []).flatMap(({ text }) =>
      [0, 1].map(
        (variant): Step => ({
          ...{ kind: 'post', source: 2 * index + variant, text },
          headers: { 'content-type': 'application/json' },
        }),
      ),
    ),
  );
  const wait: Step = { kind: 'pass', ms: DELAY_MINUTES * MINUTE_MS };
  return [...posts, { kind: 'settle' }, wait, ...posts, { kind: 'settle' }, wait];
}
