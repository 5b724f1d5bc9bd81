import { distance } from 'fastest-levenshtein';
import { nearestName } from './nearest-name.ts';

/** A variable that looks as if it was meant for svc-server, but has no effect. */
export interface UnknownVariable {
  variable: string;
  /** The variable of svc-server that was probably meant; null when none is similar. */
  nearest: string | null;
}

/** Variables of `svc`, the SDK, `svc-mock` and this project's own tools, often set in the same shell. */
const VARIABLES_OF_OTHERS = new Set([
  'SVC_API_KEY',
  'SVC_BASE_URL',
  'SVC_CACHE_DIR',
  'SVC_CONFIG_DIR',
  'SVC_LOG',
  'SVC_MOCK_CONTROL_TOKEN',
  'SVC_PROFILE',
  'SVC_WEBHOOK_SECRET',
  'SVC_CONFORMANCE_TARGETS',
  'SVC_FUZZ_SEED',
  'SVC_PINNED_NODE',
  'SVC_TEST_BUNDLES',
  'SVC_TEST_LONG',
  'SVC_TEST_RUN',
]);

/** The most edits between a name without `SVC_` and the one that was meant: such names may belong to other programs. */
const EDITS_MAX = 2;

/**
 * Returns unknown `SVC_*` variables, and near misses of known ones such as `DATABASE_UR`, sorted by name. A near miss of
 * a variable that is set too is no mistake.
 *
 * @param present names of the variables that are set
 * @param known names of the variables of svc-server
 */
export function findUnknownVariables(present: readonly string[], known: readonly string[]): UnknownVariable[] {
  const candidates = present.filter((name) => !known.includes(name) && !VARIABLES_OF_OTHERS.has(name));
  return candidates.toSorted().flatMap((variable) => {
    const nearest = nearestName(variable.toUpperCase(), known);
    if (variable.startsWith('SVC_')) return [{ variable, nearest }];
    const isNearMiss =
      nearest !== null && !present.includes(nearest) && distance(variable.toUpperCase(), nearest) <= EDITS_MAX;
    return isNearMiss ? [{ variable, nearest }] : [];
  });
}

/** For example `SVC_PAYLOADS_DAYS is not a variable of svc-server and has no effect: did you mean SVC_PAYLOAD_DAYS?` */
export function describeUnknown({ variable, nearest }: UnknownVariable): string {
  const hint = nearest === null ? 'svc-server help environment lists all variables' : `did you mean ${nearest}?`;
  return `${variable} is not a variable of svc-server and has no effect: ${hint}`;
}
