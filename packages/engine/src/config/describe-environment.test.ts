import { expect, test } from 'vitest';
import { KNOWN_VARIABLES } from './config.ts';
import { describeEnvironment } from './describe-environment.ts';

test('names every variable with its meaning and default, within the width', () => {
  const text = describeEnvironment(78);
  for (const name of KNOWN_VARIABLES) expect(text).toContain(`\n${name}\n  `);
  expect(text).toContain('SVC_PORT\n  Port (--port); 0 picks a free one. Default: 4000.\n');
  expect(
    text
      .split('\n')
      .slice(1)
      .filter((line) => line.length > 78),
  ).toEqual([]);
});
