import './pinned-node.ts';
import { parseArgs } from 'node:util';
import { auditExitCode, formatVerdict, judgeAudit, NOT_CHECKED, type Verdict } from './audit-verdict.ts';
import { run, tool } from './processes.ts';

/**
 * `npm run audit`: reports known vulnerabilities of production and development dependencies.
 *
 * Exits with 1 when there are any. Some registries answer no audits: that is reported as NOT CHECKED, with exit code 0, or 1 with
 * `--strict`, which the nightly workflow sets.
 */
const { values } = parseArgs({ options: { strict: { type: 'boolean', default: false } } });
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
if (verdicts.some((verdict) => verdict.kind === 'not checked')) process.stderr.write(`\n${NOT_CHECKED}\n`);
process.exitCode = auditExitCode(verdicts, values);
