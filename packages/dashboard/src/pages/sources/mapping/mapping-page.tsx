/** How a source reads payloads that no adapter understands. */
import { useState } from 'react';
import { useOperation } from '../../../data/operations.ts';
import { useIsAdmin } from '../../../data/session.tsx';
import { Button } from '../../../parts/button.tsx';
import { Loaded, Notice } from '../../../parts/page.tsx';
import { MappingEditor } from './mapping-editor.tsx';
import { type ShownSource, SourceFrame } from '../source-frame.tsx';

export default function MappingPage() {
  return <SourceFrame tab="mapping">{(source) => <Mapping source={source} />}</SourceFrame>;
}

/** As many as fit in a list of choices. */
const SAMPLES = 20;

function Mapping({ source }: { source: ShownSource }) {
  const { id: sourceId, platform, eventCoverage } = source;
  const isAdmin = useIsAdmin();
  const [isOpened, setOpened] = useState(false);
  const mappings = useOperation('sources/mappings', { sourceId });
  const receipts = useOperation('requests/list', { sourceId, limit: SAMPLES });
  const hasAdapter = eventCoverage === 'full' || eventCoverage === 'partial';
  return (
    <Loaded query={mappings}>
      {({ versions }) => (
        <>
          {hasAdapter && (
            <Notice
              action={
                isAdmin &&
                versions.length === 0 &&
                !isOpened && (
                  <Button isSmall onClick={() => setOpened(true)}>
                    Map other payloads
                  </Button>
                )
              }
            >
              The adapter of {platform} is built in and reads {eventCoverage === 'full' ? 'all' : 'some'} of its types.
              A mapping reads only what the adapter does not understand.
            </Notice>
          )}
          {eventCoverage === 'mapped' && (
            <Notice>
              {platform} has a ready mapping, which reads while the source has none of its own. It is made from
              published payloads and was not tried with real ones.
            </Notice>
          )}
          <Loaded query={receipts}>
            {({ requests }) => (
              <MappingEditor
                source={source}
                versions={versions}
                requests={requests.filter(({ bodyBytes }) => bodyBytes !== null)}
                hasForm={!hasAdapter || versions.length > 0 || isOpened}
              />
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}
