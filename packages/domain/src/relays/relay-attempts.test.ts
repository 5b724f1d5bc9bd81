import { describe, expect, test } from 'vitest';
import {
  beginAttempt,
  countInterrupted,
  endAttempt,
  hasEnded,
  newRelayMail,
  resendRelayMail,
  type RelayAttempt,
  type RelayMailState,
  skipRelayMail,
} from './relay-attempts.ts';

const START = new Date('2026-03-01T12:00:00Z');
const OK: RelayAttempt = { at: START, smtpCode: 250, error: null, isAboutMail: true, wasHandedOver: true };
const BUSY: RelayAttempt = { ...OK, smtpCode: 451, error: '451 try later' };
const REFUSED: RelayAttempt = { ...OK, smtpCode: 550, error: '550 no such user', wasHandedOver: false };
const DOWN: RelayAttempt = {
  ...OK,
  smtpCode: null,
  error: 'connect ECONNREFUSED',
  isAboutMail: false,
  wasHandedOver: false,
};
const LOST: RelayAttempt = { ...DOWN, wasHandedOver: true };

const attempt = (mail: RelayMailState, outcome: RelayAttempt) =>
  endAttempt(beginAttempt(mail), outcome, { jitterMs: 0 });

test('a mail waits, is sent, and ends', () => {
  const mail = newRelayMail(START);
  expect(mail).toEqual({
    status: 'waiting',
    attemptCount: 0,
    unconfirmedCount: 0,
    smtpCode: null,
    error: null,
    nextAttemptAt: START,
  });
  expect(beginAttempt(mail)).toEqual({ ...mail, status: 'sending', attemptCount: 1 });
  expect(attempt(mail, OK)).toEqual({ ...mail, status: 'sent', attemptCount: 1, smtpCode: 250, nextAttemptAt: null });
});

test.each([BUSY, DOWN, { ...REFUSED, isAboutMail: false, smtpCode: 535 }])('tries again after %j', (outcome) => {
  let mail = newRelayMail(START);
  const waits: number[] = [];
  while (!hasEnded(mail)) {
    mail = attempt(mail, outcome);
    if (mail.nextAttemptAt) waits.push((+mail.nextAttemptAt - +START) / 60_000);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 60]);
  expect(mail).toMatchObject({ status: 'failed', attemptCount: 8, smtpCode: outcome.smtpCode, error: outcome.error });
});

test('the first wait gets the jitter', () => {
  const { nextAttemptAt } = endAttempt(beginAttempt(newRelayMail(START)), BUSY, { jitterMs: 5_000 });
  expect(nextAttemptAt).toEqual(new Date(+START + 65_000));
});

test('a 5xx answer to the mail is final', () => {
  expect(attempt(newRelayMail(START), REFUSED)).toMatchObject({
    status: 'failed',
    attemptCount: 1,
    smtpCode: 550,
    error: '550 no such user',
    nextAttemptAt: null,
  });
  expect(attempt(newRelayMail(START), { ...REFUSED, smtpCode: 500 }).status).toBe('failed');
  expect(attempt(newRelayMail(START), { ...REFUSED, smtpCode: 499 }).status).toBe('waiting');
});

describe('a mail that may have arrived', () => {
  test('is sent once more and counted', () => {
    const interrupted = beginAttempt(newRelayMail(START));
    const again = beginAttempt(interrupted);
    expect(again).toMatchObject({ status: 'sending', attemptCount: 2, unconfirmedCount: 1 });
    expect(endAttempt(again, OK, { jitterMs: 0 })).toMatchObject({ status: 'sent', unconfirmedCount: 1 });
  });

  test('is given up after the second time', () => {
    const twice = beginAttempt(beginAttempt(beginAttempt(newRelayMail(START))));
    expect(twice).toMatchObject({ status: 'failed', attemptCount: 2, unconfirmedCount: 2, nextAttemptAt: null });
    expect(twice.error).toContain('may have arrived twice');
    expect(attempt(attempt(newRelayMail(START), LOST), LOST)).toMatchObject({ status: 'failed', unconfirmedCount: 2 });
  });

  test('an answer says that it did not arrive', () => {
    expect(attempt(newRelayMail(START), BUSY).unconfirmedCount).toBe(0);
    expect(attempt(newRelayMail(START), DOWN).unconfirmedCount).toBe(0);
    expect(attempt(newRelayMail(START), LOST)).toMatchObject({ status: 'waiting', unconfirmedCount: 1 });
  });

  test('is counted when it is skipped', () => {
    const skipped = skipRelayMail(beginAttempt(newRelayMail(START)), 'why');
    expect(skipped).toMatchObject({ status: 'skipped', error: 'why', unconfirmedCount: 1, nextAttemptAt: null });
    expect(skipRelayMail(newRelayMail(START), 'why').unconfirmedCount).toBe(0);
  });

  test('a mail that waits was not interrupted', () => {
    expect(countInterrupted(newRelayMail(START))).toEqual(newRelayMail(START));
  });
});

test('an ended mail can begin anew; what may have arrived stays counted', () => {
  const later = new Date(+START + 86_400_000);
  for (const outcome of [OK, REFUSED]) {
    expect(resendRelayMail(attempt(newRelayMail(START), outcome), later)).toEqual(newRelayMail(later));
  }
  const givenUp = attempt(attempt(newRelayMail(START), LOST), LOST);
  const again = resendRelayMail(givenUp, later);
  expect(again).toEqual({ ...newRelayMail(later), unconfirmedCount: 2 });
  expect(again && attempt(again, LOST)).toMatchObject({ status: 'failed', attemptCount: 1, unconfirmedCount: 3 });
  expect(again && attempt(again, OK).status).toBe('sent');
  expect(resendRelayMail(newRelayMail(START), later)).toBeNull();
  expect(resendRelayMail(beginAttempt(newRelayMail(START)), later)).toBeNull();
});
