import type { Check } from '../declared/doctor.ts';

export type { Check };

export function pass(name: string, message: string): Check {
  return { name, status: 'PASS', message, fix: null };
}

export function warn(name: string, message: string, fix: string): Check {
  return { name, status: 'WARN', message, fix };
}

export function fail(name: string, message: string, fix: string): Check {
  return { name, status: 'FAIL', message, fix };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the worst status of the checks. */
export function worstOf(checks: readonly Check[]): Check['status'] {
  if (checks.some(({ status }) => status === 'FAIL')) return 'FAIL';
  return checks.some(({ status }) => status === 'WARN') ? 'WARN' : 'PASS';
}
