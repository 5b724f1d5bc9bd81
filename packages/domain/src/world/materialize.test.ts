import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { materializeWorld } from './materialize.ts';
import { parseWorld } from './parse.ts';
import { validWorld } from './valid-world.fixture.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

describe('materializeWorld', () => {
  test('turns the instants of every kind of row into dates', () => {
    const world = materializeWorld(parseWorld(validWorld()), NOW);
    const hoursBefore = (date: Date | null | undefined): number | null =>
      date === null || date === undefined ? null : (NOW.getTime() - date.getTime()) / 3_600_000;
    expect(hoursBefore(world.accounts[0]?.createdAt)).toBe(240);
    expect(hoursBefore(world.apiKeys[0]?.revokedAt)).toBe(1);
    expect(world.apiKeys[0]?.rotatedAt).toBeNull();
    expect(hoursBefore(world.blocklists[0]?.lastFetchedAt)).toBe(2);
    expect(hoursBefore(world.blocklists[0]?.lastAttemptedAt)).toBe(3);
    expect(hoursBefore(world.requests[0]?.createdAt)).toBe(4);
    expect(hoursBefore(world.categorySignals[0]?.at)).toBe(5);
    expect(hoursBefore(world.syncHealth[0]?.failingSince)).toBe(6);
    expect(hoursBefore(world.webhooks[0]?.autoDisabledAt)).toBe(7);
    expect(hoursBefore(world.webhooks[0]?.deletedAt)).toBe(8);
    expect(hoursBefore(world.webhooks[0]?.updatedAt)).toBe(9);
    expect(hoursBefore(world.webhookDeliveries[0]?.lastAttemptAt)).toBe(10);
    expect(hoursBefore(world.webhookDeliveries[0]?.nextAttemptAt)).toBe(-1);
    expect(hoursBefore(world.webhookDeliveries[0]?.updatedAt)).toBe(11);
  });

  test('resolves marked instants in bodies and event data', () => {
    const world = materializeWorld(parseWorld(validWorld()), NOW);
    expect(world.requests[0]?.body).toEqual({ time_sent: '2026-03-01T08:00:00.000Z' });
    expect(world.events[0]?.data).toEqual({ failedSince: '2026-03-01T06:00:00.000Z' });
  });

  test('changes neither other fields nor its argument', () => {
    const world = parseWorld(validWorld());
    const before = structuredClone(world);
    const materialized = materializeWorld(world, NOW);
    expect(world).toEqual(before);
    expect(materialized.sources[0]).toEqual({ ...world.sources[0], createdAt: new Date('2026-02-19T12:00:00.000Z') });
    expect(Object.keys(materialized)).toEqual(Object.keys(world));
  });

  test('a later now moves every relative date by the same time', () => {
    const world = parseWorld(validWorld());
    const dates = (now: Date): number[] =>
      Object.values(materializeWorld(world, now))
        .filter((rows) => Array.isArray(rows))
        .flatMap((rows) => rows.flatMap((row) => Object.values(row).filter((value) => value instanceof Date)))
        .map((date) => date.getTime());
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (shiftMs) => {
        const shifted = dates(new Date(NOW.getTime() + shiftMs));
        expect(shifted).toEqual(dates(NOW).map((time) => time + shiftMs));
      }),
      { numRuns: 25 },
    );
  });
});
