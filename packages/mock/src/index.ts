/** The mock for tests in Node. */
import type { CreateMockOptions, Mock } from './mock-types.ts';
import { createMockOn } from './mock.ts';
import { decompress } from './skins/node/decompress.ts';
import { startStandalone } from './skins/node/standalone.ts';

/**
 * Creates a mock of the whole service: every endpoint, rule and error of the public API v1, with its own data, clock and
 * outgoing posts. Nothing leaves the process unless `receivers` or `listen` say so.
 *
 * @throws WorldError when `world` is invalid; the message lists the problems
 * @throws RangeError for an unknown scenario, an invalid instant or an invalid prefix
 * @example
 * const mock = createMock({ now: '2026-01-15T12:00:00Z' });
 * const server = setupServer(...mock.handlers('https://api.example.com'));
 */
export function createMock(options: CreateMockOptions = {}): Mock {
  return createMockOn({ decompress, listen: startStandalone }, options);
}

export * from './mock-types.ts';
