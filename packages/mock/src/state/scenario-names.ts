/** Names of the scenarios, which `scenarios.ts` defines. */
export const SCENARIO_NAMES = [
  'ready',
  'not-ready',
  'empty',
  'large',
  'rate-limited',
  'flaky',
  'slow',
  'revoked-key',
  'syncs-failing',
  'resync-in-progress',
  'short-pages',
  'future',
  'webhooks-disabled',
  'leads-held',
  'replies-only',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export function isScenarioName(name: string): name is ScenarioName {
  return SCENARIO_NAMES.some((known) => known === name);
}
