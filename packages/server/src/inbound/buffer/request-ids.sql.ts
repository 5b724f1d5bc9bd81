/** Takes ids of receipts. Returns those that follow each other as ranges: other processes may take ids in between. */
export const TAKE = {
  name: 'ingest-ids-take',
  text: `with taken as materialized (
      select nextval(pg_get_serial_sequence('requests', 'id')) as id from generate_series(1, $1::int)
    ), numbered as (
      select id, id - row_number() over (order by id) as range from taken
    )
    select min(id) as next, max(id) as last from numbered group by range order by 1`,
};
