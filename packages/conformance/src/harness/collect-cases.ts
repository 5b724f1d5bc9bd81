/** Collects the cases of the suite from the test runner. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isOperationId, type OperationId } from '@svc/contract/operations';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const runner = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));

const ONE_WORKER = ['--pool=threads', '--maxWorkers=1'];
const ALL_FILES = ['--exclude', '**/*.long.test.ts', 'packages/conformance/'];

export interface NamedCase {
  /** Name of its target. */
  readonly target: string;
  readonly operationId: OperationId;
  /** The status that the case proves. */
  readonly status: number;
}

/** Returns the status at the beginning of a case's name. */
export function statusInName(name: string): number | undefined {
  const digits = /^(\d{3})\b/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns every case of an operation, on the targets that this machine has.
 *
 * @param environment environment variables of the test runner
 */
export async function collectCases(environment: Readonly<Record<string, string | undefined>>): Promise<NamedCase[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [runner, 'list', '--json', '--no-static-parse', ...ONE_WORKER, ...ALL_FILES],
    { cwd: root, env: { ...environment, SVC_TEST_LONG: '' }, maxBuffer: 256 * 1024 * 1024 },
  );
  const listed: { name: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return listed.flatMap(({ name }) => {
    const [target = '', operationId = '', ...rest] = name.split(' > ');
    const status = statusInName(rest.join(' > '));
    return status !== undefined && isOperationId(operationId) ? [{ target, operationId, status }] : [];
  });
}
