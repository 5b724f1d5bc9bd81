import { createMock, type Mock, type CreateMockOptions } from '@svc/mock';
import { type CliOptions, type CliResult, runCli } from './run-cli.ts';

/** The time of the mock's clock, within the demo world's logs. */
export const NOW = '2026-01-15T12:00:00.000Z';

export interface MockService {
  readonly mock: Mock;
  readonly url: string;
  /** A key with access to everything. */
  readonly apiKey: string;
  /** Runs `svc` against this mock with `apiKey`. */
  svc(...argv: string[]): Promise<CliResult>;
  /** Runs `svc` with stdin, another key or other variables. */
  run(argv: readonly string[], options?: Omit<CliOptions, 'server'> & { readonly apiKey?: string }): Promise<CliResult>;
  close(): Promise<void>;
}

/**
 * Starts the mock on a port of this process. Tests use its state through `mock.db`, `mock.clock`, `mock.faults` and
 * `mock.journal`. The clock stands at `NOW` and moves only by `mock.clock.advance`.
 *
 * @param start how `svc` is run: by default as a process; `runInProcess` is quicker
 */
export async function startMockService(
  options: CreateMockOptions = {},
  start: (argv: readonly string[], options: CliOptions) => Promise<CliResult> = runCli,
): Promise<MockService> {
  const mock = createMock({ now: NOW, ...options });
  const { url } = await mock.listen({ port: 0 });
  const apiKey = mock.keys.osapi_demo_write;
  if (apiKey === undefined) throw new Error('the demo world has no key osapi_demo_write');
  const run: MockService['run'] = (argv, { apiKey: other, ...cli } = {}) =>
    start(argv, { ...cli, server: { url, apiKey: other ?? apiKey } });
  return { mock, url, apiKey, svc: (...argv) => run(argv), run, close: () => mock.close() };
}
