import type { NotFoundResource } from '@svc/contract/error-messages';
import { testRuleCases } from '../test/rule-suite.ts';
import {
  parseBooleanFilter,
  parseEnumFilter,
  parseIdFilter,
  parseLimit,
  parsePathId,
  parseRepeatedEnum,
  parseScalar,
  type RawParameter,
} from './parameters.ts';

interface Named {
  name: string;
  raw?: RawParameter;
}

testRuleCases('parameters', ({ rule }) => {
  rule<Named>('parseScalar', ({ name, raw }) => parseScalar(name, raw));
  rule<Named>('parseIdFilter', ({ name, raw }) => parseIdFilter(name, raw));
  rule<{ resource: NotFoundResource; raw: string }>('parsePathId', ({ resource, raw }) => parsePathId(resource, raw));
  rule<Named & { values: string[] }>('parseEnumFilter', ({ name, raw, values }) => parseEnumFilter(name, raw, values));
  rule<Named>('parseBooleanFilter', ({ name, raw }) => parseBooleanFilter(name, raw));
  rule<Named & { values: string[] }>('parseRepeatedEnum', ({ name, raw, values }) =>
    parseRepeatedEnum(name, raw, values),
  );
  rule<{ raw?: RawParameter; default: number; max: number }>('parseLimit', ({ raw, ...bounds }) =>
    parseLimit(raw, bounds),
  );
});
