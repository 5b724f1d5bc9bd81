import type { AdminResult } from '../../data/operations.ts';

type CrmRecord = Pick<AdminResult<'persons/show'>['records'][number], 'recordType' | 'recordId' | 'url'>;

/** The record of a person in the CRM, as a link where its address is known. */
export function CrmRecordLink({ record: { recordType, recordId, url } }: { record: CrmRecord }) {
  const name = `${recordType} ${recordId}`;
  if (url === null) return name;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}
