import './pinned-node.ts';
import { run, tool } from './processes.ts';
import { formatVerdict, judgeAudit, type Verdict } from './audit-verdict.ts';

/**
 * `npm run audit`: known vulnerabilities, production dependencies and development ones apart.
 *
 * Exit code 1 when there are any; 0 when there are none, and 0 when the registry does not answer audits (some mirrors do not):
 * that is no fault of the code, but it is reported as "not checked" and never as passed.
 */
const verdicts: Verdict[] = [];
for (const [label, flag] of [
  ['production', '--prod'],
  ['development', '--dev'],
] as const) {
  const { stdout, output } = await run(tool('pnpm'), ['audit', '--json', flag]);
  const verdict = judgeAudit(stdout, output);
  verdicts.push(verdict);
  process.stdout.write(`${formatVerdict(label, verdict)}\n`);
}
if (verdicts.some((verdict) => verdict.kind === 'vulnerable')) process.exitCode = 1;
