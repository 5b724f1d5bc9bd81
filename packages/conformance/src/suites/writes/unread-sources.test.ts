/** `getAccountStatus`: the warning for sources whose requests are not understood. */
import { describe, expect, test } from 'vitest';
import { newEvent, newReply, send } from '../../cases/inbound.ts';
import { UNBOUND_SOURCE_ID } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { findRow, WORLD } from '../../harness/world.ts';

const DAY_MS = 86_400_000;

onEveryTarget(
  (api) => {
    describe('getAccountStatus', () => {
      const unread = async (key?: string) => {
        const answer = await api.read('getAccountStatus', key === undefined ? {} : { key });
        const warnings: { code: string; connectionId: number; message: string }[] = answer.warnings;
        return warnings.filter(({ code, message }) => {
          return code === 'source_events_not_understood' && message.includes(`source ${UNBOUND_SOURCE_ID} `);
        });
      };
      const unknown = (number: number) => ({ family: 'nobody-knows', number });

      test('200 with a warning from the third request of a source that is not understood', async () => {
        const { ready } = await api.read('getAccountStatus');
        await send(api, UNBOUND_SOURCE_ID, [unknown(1), unknown(2)]);
        expect(await unread()).toEqual([]);
        await send(api, UNBOUND_SOURCE_ID, [unknown(3)]);
        const [warning, ...others] = await unread();
        expect(others).toEqual([]);
        const { connectionId } = findRow(WORLD.sources, ({ id }) => id === UNBOUND_SOURCE_ID, 'source');
        expect(warning).toMatchObject({ connectionId, message: expect.stringContaining('3 of the last 3') });
        expect(await unread('osapi_demo_other')).toEqual([]);
        expect((await api.read('getAccountStatus')).ready).toBe(ready);
      });

      test('200 without the warning once most requests are understood, repeats included', async () => {
        const repeated = newReply();
        await send(api, UNBOUND_SOURCE_ID, [newEvent(), repeated, repeated]);
        expect(await unread()).toHaveLength(1);
        await send(api, UNBOUND_SOURCE_ID, [newEvent()]);
        expect(await unread()).toEqual([]);
      });

      test('200 without the warning when the requests are older than a week', async () => {
        await send(api, UNBOUND_SOURCE_ID, [unknown(4), unknown(5)]);
        expect(await unread()).toHaveLength(1);
        await api.advance(7 * DAY_MS);
        expect(await unread()).toEqual([]);
      });
    });
  },
  { workers: 'off' },
);
