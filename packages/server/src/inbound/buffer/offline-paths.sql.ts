import type { NamedStatement } from '@svc/engine/store/database/db';

/** The newest sources; posts to older ones need the database. */
const SOURCES_MAX = 100_000;

/** Returns a text that changes with every change of secrets, and whenever sources are added or removed. */
export const READ_VERSION: NamedStatement = {
  name: 'ingest-sources-version',
  text: `select concat((select value from service_meta where key = 'source-secrets-version'), '/', count(*), '/', max(id))
    as version from sources`,
};

/** Returns the newest sources, each as a `FoundSource`. */
export const READ_ALL: NamedStatement = {
  name: 'ingest-sources',
  text: `select path, id, secrets, requires_secret as "requiresSecret" from sources order by id desc limit ${SOURCES_MAX}`,
};
