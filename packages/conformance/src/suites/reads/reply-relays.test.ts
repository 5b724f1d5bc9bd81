import { toReplyRelay } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { RELAYED_SOURCE } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { READING_KEYS, visibleRows, WORLD } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('listReplyRelays', () => {
    test.each(READING_KEYS)('200 with the relays of %s by ascending id, bound or not', async (key) => {
      const replyRelays = visibleRows(key, WORLD.replyRelays).map(toReplyRelay);
      expect(await api.read('listReplyRelays', { key })).toEqual({ replyRelays });
    });

    test('200 with templates and categories in their configured order', async () => {
      const { replyRelays } = await api.read('listReplyRelays');
      expect(replyRelays.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, RELAYED_SOURCE.relayId]);
      expect(replyRelays[0].bodyTemplates).toEqual([
        'Hi Sam, {{leadName}} replied. Please take over: your answer to this mail goes to {{leadEmail}}.',
        'Sam, here is a reply from your region. Answer this mail to write to {{leadName}}.',
      ]);
      expect(replyRelays[2].categoryAllowlist).toEqual([
        { id: '1', name: 'Interested' },
        { id: '2', name: 'Meeting Request' },
      ]);
    });

    proveKeyRefusals(api, 'listReplyRelays');
  });
});
