import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { ROUTER_BASE } from '../data/base.ts';
import { DashboardError } from '../data/http.ts';
import { ToastProvider } from '../parts/toast.tsx';
import { Gate } from './gate.tsx';
import './theme.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What nobody looks at is forgotten soon, so that a tab that stays open for days stays small.
      gcTime: 60_000,
      retry: (failures, error) => failures < 2 && !(error instanceof DashboardError && error.status > 0),
    },
  },
});

export function App() {
  return (
    // The policy of the page allows no inline styles.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <Tooltip.Provider delay={300}>
            <Router base={ROUTER_BASE}>
              <Gate />
            </Router>
          </Tooltip.Provider>
        </ToastProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}
