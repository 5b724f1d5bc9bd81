/** `forget_hours` drops all counts of a log that was truncated; its argument names the log. Maintenance then counts it from the beginning. */
export const forgetHours = `
create or replace function forget_hours() returns trigger language plpgsql as $function$
begin
  delete from hour_counts where log = tg_argv[0];
  delete from changed_hours where log = tg_argv[0];
  update hour_count_state set counted_from = null, counted_until = null, closing_until = null, closing_xid = null
  where log = tg_argv[0];
  return null;
end
$function$;
`;
