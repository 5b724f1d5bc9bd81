import { describe, expect, test } from 'vitest';
import { auditExitCode, formatVerdict, judgeAudit, type Verdict } from './audit-verdict.ts';

const none = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };

describe('judgeAudit', () => {
  test('passed only with an answer that counts nothing', () => {
    const answer = JSON.stringify({ advisories: {}, metadata: { vulnerabilities: none } });
    expect(judgeAudit(answer, answer)).toEqual({ kind: 'passed' });
  });

  test('lists what was found, the worst first', () => {
    const advisories = {
      1: {
        severity: 'moderate',
        module_name: 'one',
        title: 'slow',
        patched_versions: '>=2',
        url: 'https://example.com/1',
      },
      2: {
        severity: 'critical',
        module_name: 'two',
        title: 'open',
        patched_versions: '<0.0.0',
        url: 'https://example.com/2',
      },
    };
    const answer = JSON.stringify({ advisories, metadata: { vulnerabilities: { ...none, moderate: 1, critical: 1 } } });
    const verdict = judgeAudit(answer, answer);
    expect(formatVerdict('production', verdict).split('\n')).toEqual([
      'production: 2 known vulnerabilities',
      '  critical  two: open (fixed in <0.0.0) https://example.com/2',
      '  moderate  one: slow (fixed in >=2) https://example.com/1',
    ]);
  });

  test('counts without a list are still vulnerabilities', () => {
    const answer = JSON.stringify({ advisories: {}, metadata: { vulnerabilities: { ...none, high: 3 } } });
    expect(judgeAudit(answer, answer).kind).toBe('vulnerable');
  });

  test.each([
    [
      'an error',
      JSON.stringify({ error: { code: 'ERR_PNPM_AUDIT_BAD_RESPONSE', message: 'responded with 405\nmore' } }),
    ],
    ['nothing', ''],
    ['a page', '<html>no such route</html>'],
    ['an empty object', '{}'],
    ['null', 'null'],
    ['an answer without counts', JSON.stringify({ advisories: {} })],
  ])('%s is not checked, and never says passed', (_, answer) => {
    const verdict = judgeAudit(answer, answer);
    expect(verdict.kind).toBe('not checked');
    expect(formatVerdict('production', verdict)).toMatch(/^production: NOT CHECKED: \S/);
    expect(formatVerdict('production', verdict)).not.toContain('passed');
  });
});

test.each([
  [0, 0, [{ kind: 'passed' }, { kind: 'passed' }]],
  [0, 1, [{ kind: 'passed' }, { kind: 'not checked', reason: 'responded with 405' }]],
  [1, 1, [{ kind: 'vulnerable', vulnerabilities: [] }, { kind: 'passed' }]],
] as const satisfies [number, number, Verdict[]][])(
  'exit code %i, and %i with --strict: %j',
  (code, strictCode, verdicts) => {
    expect(auditExitCode(verdicts, { strict: false })).toBe(code);
    expect(auditExitCode(verdicts, { strict: true })).toBe(strictCode);
  },
);
