import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { forwardAbort } from './forward-abort.ts';

describe('a call is aborted with its sources', () => {
  test('by any of them, with its reason', () => {
    const [call, first, second] = [new AbortController(), new AbortController(), new AbortController()];
    forwardAbort(call, [first.signal, undefined, second.signal]);
    expect(call.signal.aborted).toBe(false);
    second.abort('too late');
    expect(call.signal.reason).toBe('too late');
  });

  test('by one that was aborted before', () => {
    const call = new AbortController();
    forwardAbort(call, [AbortSignal.abort('stopped')]);
    expect(call.signal.reason).toBe('stopped');
  });

  test('not after its end, of which the sources keep nothing', () => {
    const [call, source] = [new AbortController(), new AbortController()];
    forwardAbort(call, [source.signal])();
    expect(getEventListeners(source.signal, 'abort')).toEqual([]);
    source.abort();
    expect(call.signal.aborted).toBe(false);
  });
});
