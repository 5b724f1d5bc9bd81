/** The frame of every page: navigation, account, user, and the page itself. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation, useParams, useSearch } from 'wouter';
import { AccountProvider } from '../data/account.tsx';
import { ROUTER_BASE } from '../data/base.ts';
import { useLive } from '../data/live.ts';
import { useOperation } from '../data/operations.ts';
import { useSession } from '../data/session.tsx';
import { describeProblem } from '../data/sign-in-problem.ts';
import { Button } from '../parts/button.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { useToasts } from '../parts/toast.tsx';
import { Navigation } from './navigation.tsx';
import { PageFailure } from './page-failure.tsx';
import { Connection } from './redirects.tsx';
import { ROUTES } from './routes.ts';
import styles from './shell.module.css';

const PAGES = ROUTES.map(({ path, scope, load }) => ({ path, scope, component: lazy(load) }));

export function Shell() {
  useLive();
  const [isNavOpen, setNavOpen] = useState(false);
  const [location] = useLocation();
  const { user } = useSession();
  useEffect(() => {
    setNavOpen(false);
    window.scrollTo(0, 0);
  }, [location]);
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href={`${ROUTER_BASE}${location}#main`} onClick={focusMain}>
        Skip to the page
      </a>
      <div className={styles['bar']}>
        <Link href="/">svc</Link>
        <Button isSmall aria-expanded={isNavOpen} onClick={() => setNavOpen(!isNavOpen)}>
          Menu
        </Button>
      </div>
      <Navigation className={styles['side'] ?? ''} isOpen={isNavOpen} user={user} />
      <main id="main" tabIndex={-1} className={styles['main']}>
        {/* Another page is tried anew. */}
        <PageFailure key={location}>
          <Suspense fallback={<p role="status">Loading …</p>}>
            <Switch>
              <Route path="/">
                <Home />
              </Route>
              <Route path="/connections/:id">
                <Connection />
              </Route>
              {PAGES.filter(({ scope }) => scope === 'installation').map(({ path, component }) => (
                <Route key={path} path={path} component={component} />
              ))}
              <Route path="/accounts/:account" nest>
                <AccountPages />
              </Route>
              <Route>
                <NoSuchPage />
              </Route>
            </Switch>
          </Suspense>
        </PageFailure>
      </main>
    </div>
  );
}

function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function AccountPages() {
  const { account = '' } = useParams();
  const id = Number(account);
  const accounts = useOperation('accounts/list', {});
  return (
    <Loaded query={accounts}>
      {({ accounts: list }) =>
        list.some((each) => each.id === id) ? (
          <AccountProvider id={id}>
            <Switch>
              <Route path="/">
                <Redirect to="/overview" replace />
              </Route>
              {PAGES.filter(({ scope }) => scope === 'account').map(({ path, component }) => (
                <Route key={path} path={path} component={component} />
              ))}
              <Route>
                <NoSuchPage />
              </Route>
            </Switch>
          </AccountProvider>
        ) : (
          <NoSuchPage />
        )
      }
    </Loaded>
  );
}

/** An operator with an account sees it; without one, the set-up. */
function Home() {
  const toasts = useToasts();
  const search = useSearch();
  const problem = describeProblem(search);
  useEffect(() => {
    if (problem !== null) toasts.warn(problem);
  }, [problem, toasts]);
  const accounts = useOperation('accounts/list', {});
  return (
    <Loaded query={accounts}>
      {({ accounts: list }) => {
        const first = list[0];
        return first === undefined ? (
          <Redirect to="/start" replace />
        ) : (
          <Redirect to={`/accounts/${first.id}/overview`} replace />
        );
      }}
    </Loaded>
  );
}

function NoSuchPage() {
  return (
    <Page title="No such page">
      <p>
        Nothing is at this address. It may belong to something that was removed.{' '}
        <Link href="~/">Go to the overview</Link>
      </p>
    </Page>
  );
}
