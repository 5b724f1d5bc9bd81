/** Blockers and warnings of the account's status, each with the link to where it is mended. */
import type { AccountStatusResponse } from '@svc/contract/types';
import { ButtonLink } from '../../parts/button.tsx';
import { Notice } from '../../parts/page.tsx';
import styles from './issues.module.css';
import { findMend } from './mend.ts';

type Issue = AccountStatusResponse['blockers'][number] | AccountStatusResponse['warnings'][number];

/** @param props.isHere whether the page is the one of the connection, whose own buttons mend it */
export function Issues({ issues, isHere = false }: { issues: readonly Issue[]; isHere?: boolean }) {
  if (issues.length === 0) return null;
  return (
    <div className={styles['issues']}>
      {issues.map((issue) => {
        const mend = findMend(issue);
        const isMendedHere = isHere && mend.href === `/connections/${issue.connectionId}`;
        return (
          <Notice
            key={`${issue.code} ${issue.connectionId}`}
            tone={issue.code === 'crm_disconnected' ? 'bad' : 'warn'}
            action={
              isMendedHere ? undefined : (
                <ButtonLink isSmall href={mend.href}>
                  {mend.label}
                </ButtonLink>
              )
            }
          >
            <p>
              {issue.message}{' '}
              <a href={issue.docUrl} target="_blank" rel="noopener noreferrer">
                What it means
              </a>
            </p>
          </Notice>
        );
      })}
    </div>
  );
}
