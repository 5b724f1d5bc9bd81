export type Vulnerability = {
  readonly severity: string;
  readonly module: string;
  readonly title: string;
  readonly patched: string;
  readonly url: string;
};

export type Verdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'vulnerable'; readonly vulnerabilities: readonly Vulnerability[] }
  | { readonly kind: 'not checked'; readonly reason: string };

type Advisory = {
  readonly severity?: string;
  readonly module_name?: string;
  readonly title?: string;
  readonly patched_versions?: string;
  readonly url?: string;
};

type Report = {
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly advisories?: Readonly<Record<string, Advisory>>;
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
};

const worstFirst = ['critical', 'high', 'moderate', 'low', 'info'];

/**
 * Parses the output of `pnpm audit --json`. Only an answer with the counts of an audit can be "passed"; an error, an empty answer or a page
 * of HTML is "not checked".
 *
 * @param output both streams of pnpm, for the reason
 */
export function judgeAudit(stdout: string, output: string): Verdict {
  const report = parse(stdout);
  if (report?.error !== undefined) {
    return { kind: 'not checked', reason: firstLine(report.error.message ?? report.error.code ?? 'unknown error') };
  }
  const counts = report?.metadata?.vulnerabilities;
  if (report === null || counts === undefined) {
    return { kind: 'not checked', reason: firstLine(output) || 'the registry gave no answer' };
  }
  const vulnerabilities = Object.values(report.advisories ?? {})
    .map((advisory) => ({
      severity: advisory.severity ?? 'unknown',
      module: advisory.module_name ?? 'unknown',
      title: advisory.title ?? '',
      patched: advisory.patched_versions ?? 'none',
      url: advisory.url ?? '',
    }))
    .toSorted((a, b) => worstFirst.indexOf(a.severity) - worstFirst.indexOf(b.severity));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return vulnerabilities.length === 0 && total === 0 ? { kind: 'passed' } : { kind: 'vulnerable', vulnerabilities };
}

export const NOT_CHECKED =
  'NOT CHECKED: the registry answers no audits. Run the audit with another registry: npm run audit --registry URL';

/** @param options.strict whether "not checked" is a failure too */
export function auditExitCode(verdicts: readonly Verdict[], { strict }: { strict: boolean }): 0 | 1 {
  const isFailure = ({ kind }: Verdict) => kind === 'vulnerable' || (strict && kind === 'not checked');
  return verdicts.some(isFailure) ? 1 : 0;
}

export function formatVerdict(label: string, verdict: Verdict): string {
  switch (verdict.kind) {
    case 'passed':
      return `${label}: passed, no known vulnerabilities`;
    case 'not checked':
      return `${label}: NOT CHECKED: ${verdict.reason}`;
    case 'vulnerable':
      return [
        `${label}: ${verdict.vulnerabilities.length} known vulnerabilities`,
        ...verdict.vulnerabilities.map(
          (one) => `  ${one.severity.padEnd(9)} ${one.module}: ${one.title} (fixed in ${one.patched}) ${one.url}`,
        ),
      ].join('\n');
  }
}

function parse(text: string): Report | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
