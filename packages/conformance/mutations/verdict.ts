/** The part of the test runner's JSON report that is read here. */
export interface SuiteReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

export interface Verdict {
  /** `broken`: nothing failed that could count, or the program did not run any more. */
  readonly result: 'killed' | 'survived' | 'broken';
  /** The case that noticed it, or why none counts. */
  readonly note: string;
}

/** A statement that cannot run is noticed by every case that reaches it, and proves nothing about the rule. */
const OWN_FAILURE = /"statusCode":500|answered 500/;

/**
 * Judges a mutation by the run of its suites. It is killed when a case failed by an assertion, or when one failed and others
 * passed: a program that does not even start fails too, and says nothing about the cases.
 *
 * @param report null when the run came to no end
 */
export function judge(report: SuiteReport | null): Verdict {
  if (report === null) return { result: 'broken', note: 'the run came to no end' };
  const cases = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = cases.filter(({ status }) => status === 'passed');
  const failed = cases.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (first === undefined) {
    const suite = report.testResults.find(({ status }) => status === 'failed');
    if (suite !== undefined) return { result: 'broken', note: firstLine(suite.message ?? 'a hook failed') };
    if (passed.length === 0) return { result: 'broken', note: 'no case ran' };
    return { result: 'survived', note: `${passed.length} cases passed` };
  }
  const message = first.failureMessages?.[0] ?? '';
  if (OWN_FAILURE.test(message)) return { result: 'broken', note: `answered 500: ${first.fullName}` };
  if (passed.length > 0 || message.startsWith('AssertionError')) return { result: 'killed', note: first.fullName };
  return { result: 'broken', note: firstLine(message) };
}

/** Whether the suites are green without any mutation; else why not. */
export function judgeBaseline(report: SuiteReport | null): { readonly ok: boolean; readonly note: string } {
  const { result, note } = judge(report);
  return { ok: result === 'survived', note };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}
