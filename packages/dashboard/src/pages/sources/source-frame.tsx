/** What the pages of one source have in common: its name, its tabs, and what is known of it. */
import type { ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { type AdminResult, useOperation } from '../../data/operations.ts';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { Loaded, Notice, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';

export type ShownSource = AdminResult<'sources/show'>['source'];

const PARENT = { label: 'Sources', href: '/sources' };

/** The tabs of a source, in their order: the end of the address, and the label. */
const TABS = {
  overview: ['', 'Overview'],
  mapping: ['/mapping', 'Mapping'],
  policy: ['/policy', 'Policy'],
  secrets: ['/secrets', 'Secrets'],
  held: ['/held', 'Held events'],
} as const;

/** @param tab the one that is open @param children gets the source of the address */
export function SourceFrame({
  tab,
  children,
}: {
  tab: keyof typeof TABS;
  children: (source: ShownSource) => ReactNode;
}) {
  const { id = '' } = useParams();
  const accountId = useAccountId();
  const shown = useOperation('sources/show', { id: Number(id) });
  return (
    <Loaded query={shown}>
      {({ source }) =>
        source.accountId === accountId ? (
          <Source source={source} tab={tab}>
            {children(source)}
          </Source>
        ) : (
          <Page title={`Source ${id}`} parent={PARENT}>
            <Notice tone="warn">Source {id} belongs to another account.</Notice>
          </Page>
        )
      }
    </Loaded>
  );
}

function Source({
  source: { id, platform },
  tab,
  children,
}: {
  source: ShownSource;
  tab: keyof typeof TABS;
  children: ReactNode;
}) {
  const [, navigate] = useLocation();
  const hrefOf = (path: string) => `/sources/${id}${path}`;
  return (
    <Page
      title={`Source ${id}: ${platform}`}
      parent={PARENT}
      actions={
        <RemoveButton operation="sources/remove" id={id} what={`source ${id}`} onDone={() => navigate('/sources')} />
      }
    >
      <Tabs
        label="Source"
        tabs={Object.values(TABS).map(([path, label]) => ({ href: hrefOf(path), label }))}
        current={hrefOf(TABS[tab][0])}
      />
      {children}
    </Page>
  );
}
