/** Shows the pages to those who are signed in, and the sign-in to others. */
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { listenForRefusals } from '../data/http.ts';
import { SESSION_KEY, SessionProvider, useSessionQuery } from '../data/session.tsx';
import { Loaded } from '../parts/page.tsx';
import { UrgentProvider } from '../parts/urgent.tsx';
import { Shell } from './shell.tsx';

const SignInPage = lazy(() => import('../pages/sign-in/sign-in-page.tsx'));
const WelcomePage = lazy(() => import('../pages/sign-in/welcome-page.tsx'));
const ConfirmDialog = lazy(() => import('../pages/sign-in/confirm-dialog.tsx'));

export function Gate() {
  const session = useSessionQuery();
  const queries = useQueryClient();
  const [location] = useLocation();
  const [answer, setAnswer] = useState<((isConfirmed: boolean) => void) | null>(null);
  useEffect(() => {
    listenForRefusals({
      onSignedOut: () => void queries.invalidateQueries({ queryKey: SESSION_KEY }),
      onConfirmRequired: () => new Promise((resolve) => setAnswer(() => resolve)),
    });
  }, [queries]);
  const confirm = answer !== null && (
    // A question that is loaded does not hide the page meanwhile.
    <Suspense>
      <ConfirmDialog
        onAnswer={(isConfirmed) => {
          answer(isConfirmed);
          setAnswer(null);
        }}
      />
    </Suspense>
  );
  return (
    <Loaded query={session}>
      {(loaded) => (
        <Suspense>
          {location === '/welcome' ? (
            <WelcomePage session={loaded} />
          ) : loaded.user === null ? (
            <SignInPage session={loaded} />
          ) : (
            <SessionProvider session={{ ...loaded, user: loaded.user }}>
              <UrgentProvider question={confirm}>
                <Shell />
              </UrgentProvider>
            </SessionProvider>
          )}
        </Suspense>
      )}
    </Loaded>
  );
}
