import { ACCESS_MUTATIONS } from './access.ts';
import { HTTP_MUTATIONS } from './http.ts';
import { LOG_MUTATIONS } from './logs.ts';
import type { Mutation } from './mutation.ts';
import { WEBHOOK_MUTATIONS } from './webhooks.ts';
import { WORK_MUTATIONS } from './work.ts';

/** Each breaks one rule, and at least one case of its suites must fail. */
export const MUTATIONS: readonly Mutation[] = [
  ...LOG_MUTATIONS,
  ...ACCESS_MUTATIONS,
  ...WEBHOOK_MUTATIONS,
  ...WORK_MUTATIONS,
  ...HTTP_MUTATIONS,
];
