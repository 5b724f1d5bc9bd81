/** What belongs to the removed row with the id `$1`, for the table of kinds. */

/** Selects the ids of the sources of a connection. */
export const SOURCES_OF_CONNECTION = 'select id from sources where connection_id = $1';

/** Selects the ids of the sources of an account. */
export const SOURCES_OF_ACCOUNT =
  'select id from sources where connection_id in (select id from connections where account_id = $1)';

/** Selects the ids of the platform events of a connection. */
export const EVENTS_OF_CONNECTION = 'select id from events where connection_id = $1';

/** Returns SQL that selects a value of each connection of an account. @param value SQL for it */
export function connectionsOfAccount(value: string): string {
  return `select ${value} from connections where account_id = $1`;
}

/** Returns SQL that selects the fairness keys of destinations. @param condition on them (`d`) or on their connections (`c`) */
export function destinationKeysWhere(condition: string): string {
  return `select 'account:' || c.account_id || '/destination:' || d.id
    from destinations d join connections c on c.id = d.connection_id where ${condition}`;
}
