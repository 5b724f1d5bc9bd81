import type { NamedStatement } from '@svc/engine/store/database/db';

/** A source as it is stored. */
export interface FoundSource {
  path: string;
  id: number;
  secrets: string | null;
  requiresSecret: boolean;
}

/** Returns the sources that have these paths, each as a `FoundSource`. */
export const FIND_PATHS: NamedStatement = {
  name: 'inbound-find-paths',
  text: 'select path, id, secrets, requires_secret as "requiresSecret" from sources where path = any($1::text[])',
};
