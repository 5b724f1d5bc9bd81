import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestTime, nextDigestTime, relayHour } from './relay-limit.ts';

const NOW = new Date('2026-03-01T12:34:56.789Z');

test('mails are counted in hours of the clock', () => {
  expect(relayHour(NOW)).toEqual(new Date('2026-03-01T12:00:00Z'));
  expect(relayHour(relayHour(NOW))).toEqual(relayHour(NOW));
});

test('up to the limit each reply gets a mail; from then on the digest at the end of the hour', () => {
  expect(digestTime({ now: NOW, begunCount: 59, mailsPerHour: 60 })).toBeNull();
  expect(digestTime({ now: NOW, begunCount: 60, mailsPerHour: 60 })).toEqual(new Date('2026-03-01T13:00:00Z'));
});

test('a digest is due after every reply of its hour, and the next one an hour later', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }), (now) => {
      const digestAt = digestTime({ now, begunCount: 1, mailsPerHour: 1 }) ?? now;
      expect(+digestAt - +now).toBeGreaterThan(0);
      expect(+digestAt - +now).toBeLessThanOrEqual(3_600_000);
      expect(relayHour(new Date(+digestAt - 1))).toEqual(relayHour(now));
      expect(+nextDigestTime(digestAt) - +digestAt).toBe(3_600_000);
    }),
  );
});
