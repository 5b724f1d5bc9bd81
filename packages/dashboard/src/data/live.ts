/** Refreshes what the page shows when something happens on the server. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiUrl } from './base.ts';
import { refreshAll } from './refresh.ts';

/** Shortest time between two refreshes. */
const REFRESH_MS = 2_000;
/** When a proxy holds events back or the stream is broken, the page asks this often. */
const POLL_MS = 10_000;
/** The server greets a new stream at once; a later greeting means that a proxy buffers. */
const GREETING_MS = 5_000;

/** Keeps the queries of the visible page fresh while the tab is visible. One connection, and none in a hidden tab. */
export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let source: EventSource | null = null;
    let refresh: ReturnType<typeof setTimeout> | undefined;
    let greeting: ReturnType<typeof setTimeout> | undefined;
    let poll: ReturnType<typeof setInterval> | undefined;

    const refreshNow = () => {
      refresh = undefined;
      void refreshAll(queries, { isLive: true });
    };
    const refreshSoon = () => {
      refresh ??= setTimeout(refreshNow, REFRESH_MS);
    };
    const startPolling = () => {
      poll ??= setInterval(() => {
        refreshNow();
        // The browser gives up after an answer that is no stream, such as that of a proxy while the server starts.
        if (source?.readyState === EventSource.CLOSED) open();
      }, POLL_MS);
    };
    const stopPolling = () => {
      clearTimeout(greeting);
      clearInterval(poll);
      poll = undefined;
    };
    const open = () => {
      source?.close();
      source = new EventSource(apiUrl('live'));
      clearTimeout(greeting);
      greeting = setTimeout(startPolling, GREETING_MS);
      source.addEventListener('hello', stopPolling);
      source.addEventListener('change', refreshSoon);
      source.addEventListener('error', startPolling);
    };
    const close = () => {
      source?.close();
      source = null;
      stopPolling();
      clearTimeout(refresh);
      refresh = undefined;
    };
    const follow = () => {
      if (document.visibilityState === 'hidden') close();
      else if (source === null) {
        open();
        refreshSoon();
      }
    };
    document.addEventListener('visibilitychange', follow);
    follow();
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [queries]);
}
