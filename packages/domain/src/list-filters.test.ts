import { testRuleCases } from '../test/rule-suite.ts';
import type { Access } from './access.ts';
import { filteredConnectionIds, type ListFilters } from './list-filters.ts';

testRuleCases('list-filters', ({ rule }) => {
  rule<{ access: Access; filters: ListFilters }>('filteredConnectionIds', ({ access, filters }) =>
    filteredConnectionIds(access, filters),
  );
});
