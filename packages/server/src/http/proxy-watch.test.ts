import type { IncomingHttpHeaders } from 'node:http';
import express, { type Request, type Response } from 'express';
import { expect, test } from 'vitest';
import type { ProxyWatch } from '@svc/engine/context';
import { watchForProxies } from './proxy-watch.ts';

function isReported(trustProxy: false | number | string[], headers: IncomingHttpHeaders): boolean {
  const app = express().set('trust proxy', trustProxy);
  let reported = false;
  const watch: ProxyWatch = {
    hasUntrusted: () => reported,
    report() {
      reported = true;
    },
  };
  const request = { app, headers, socket: { remoteAddress: '10.0.0.7' } } as unknown as Request;
  watchForProxies(watch)(request, {} as Response, () => {});
  return reported;
}

const forwardedFor = { 'x-forwarded-for': '192.0.2.7' };
const forwarded = { forwarded: 'for=192.0.2.7' };

test.each([
  [false, {}, false],
  [false, forwardedFor, true],
  [false, forwarded, true],
  [0, forwardedFor, true],
  [1, forwardedFor, false],
  [2, { ...forwardedFor, ...forwarded }, false],
  // The header is trusted from nobody.
  [1, forwarded, true],
  [['10.0.0.0/8'], forwardedFor, false],
  [['10.1.0.0/16'], forwardedFor, true],
] as const)('with SVC_TRUST_PROXY %j, of %j from 10.0.0.7 is warned: %s', (trustProxy, headers, expected) => {
  expect(isReported(typeof trustProxy === 'object' ? [...trustProxy] : trustProxy, headers)).toBe(expected);
});
