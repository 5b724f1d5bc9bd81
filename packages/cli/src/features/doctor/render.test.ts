import { expect, test } from 'vitest';
import type { Check } from './check.ts';
import { paintNothing } from '../../terminal/colors.ts';
import { renderChecks } from './render.ts';

const CHECKS: readonly Check[] = [
  { name: 'dns', status: 'pass', detail: 'svc.example is 192.0.2.1', hint: null },
  {
    name: 'certificates',
    status: 'fail',
    detail: 'not \u001b[2Jtrusted by anybody here',
    hint: 'Set NODE_EXTRA_CA_CERTS',
  },
];

test('wraps long text and escapes control characters', () => {
  expect(renderChecks(CHECKS, 44, paintNothing)).toBe(`PASS  dns           svc.example is 192.0.2.1
FAIL  certificates  not \\u001b[2Jtrusted by
                    anybody here
                    Set NODE_EXTRA_CA_CERTS
`);
  expect(renderChecks(CHECKS, Number.POSITIVE_INFINITY, paintNothing).split('\n')).toHaveLength(4);
});
