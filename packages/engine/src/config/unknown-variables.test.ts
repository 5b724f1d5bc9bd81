import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { environmentSchema } from './environment-schema.ts';
import { describeUnknown, findUnknownVariables } from './unknown-variables.ts';

const known = Object.keys(environmentSchema.shape);
const find = (...present: string[]) => findUnknownVariables(present, known);

describe('unknown variables', () => {
  test.each([
    ['SVC_PAYLOADS_DAYS', 'SVC_PAYLOAD_DAYS'],
    ['SVC_DATADIR', 'SVC_DATA_DIR'],
    ['SVC_LOGLEVEL', 'SVC_LOG_LEVEL'],
    ['DATABASE_UR', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['SCV_PORT', 'SVC_PORT'],
    ['svc_port', 'SVC_PORT'],
    ['SVC_COLOUR', null],
  ])('%s: nearest is %s', (variable, nearest) => {
    expect(find(variable)).toEqual([{ variable, nearest }]);
  });

  test('leaves the variables of other programs alone', () => {
    expect(find(...known)).toEqual([]);
    expect(find('PATH', 'HOME', 'PORT', 'LOG_LEVEL', 'TEST_DATABASE_URL', 'AWS_REGION')).toEqual([]);
    // With DATABASE_URL set, a similar name is no slip.
    expect(find('DATABASE_URL', 'DATABASE_URI')).toEqual([]);
  });

  test('knows every variable of the command line, the SDK and the mock', () => {
    const packages = fileURLToPath(new URL('../../../', import.meta.url));
    const files = globSync('{cli,sdk,mock}/src/**/*.ts', { cwd: packages }).filter((file) => !file.includes('.test.'));
    const used = files.flatMap(
      (file) => readFileSync(path.join(packages, file), 'utf8').match(/\bSVC_[A-Z_]*[A-Z]\b/g) ?? [],
    );
    expect(used).toContain('SVC_API_KEY');
    expect(find(...new Set(used))).toEqual([]);
  });

  test('is described with the variable that was probably meant', () => {
    const unknown = { variable: 'SVC_PAYLOADS_DAYS', nearest: 'SVC_PAYLOAD_DAYS' };
    expect(describeUnknown(unknown)).toBe(
      'SVC_PAYLOADS_DAYS is not a variable of svc-server and has no effect: did you mean SVC_PAYLOAD_DAYS?',
    );
    expect(describeUnknown({ ...unknown, nearest: null })).toContain('svc-server help environment lists all variables');
  });
});
