/** Addresses that the API and mails name without an account. */
import { Redirect, useParams } from 'wouter';
import { useOperation } from '../data/operations.ts';
import { Loaded, Notice } from '../parts/page.tsx';

/** `/connections/:id`, which remediations of the API lead to. */
export function Connection() {
  const { id = '' } = useParams();
  const connections = useOperation('connections/list', {});
  return (
    <Loaded query={connections}>
      {({ connections: list }) => {
        const found = list.find((each) => each.id === Number(id));
        return found === undefined ? (
          <Notice tone="warn">There is no connection {id}. It may have been removed.</Notice>
        ) : (
          <Redirect to={`/accounts/${found.accountId}/connections/${found.id}`} replace />
        );
      }}
    </Loaded>
  );
}
