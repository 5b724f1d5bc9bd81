/** Every platform of the contract has all its parts; the messages name the platform and the file to edit. */
import { PLATFORMS } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import { SEQUENCERS } from '../src/events/platforms.ts';
import { missingParts } from './platform-parts.ts';

const root = new URL('../../../', import.meta.url);

test.each(PLATFORMS)('%s has all parts of a sequencer', (platform) => {
  expect(missingParts(platform, root, Object.keys(SEQUENCERS))).toEqual([]);
});
