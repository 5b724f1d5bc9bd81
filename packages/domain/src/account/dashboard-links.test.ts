import { expect, test } from 'vitest';
import { connectionDashboardUrl, statusCodeDocUrl } from './dashboard-links.ts';

test.each(['', '/', '//'])('an address that ends in "%s" leads to the same page', (end) => {
  expect(connectionDashboardUrl(`https://app.example.com/a${end}`, 11)).toBe(
    'https://app.example.com/a/connections/11',
  );
  expect(statusCodeDocUrl(`https://docs.example.com/api${end}`, 'crm_disconnected')).toBe(
    'https://docs.example.com/api/status-codes#crm_disconnected',
  );
});

test('an anchor of the documentation gives way to that of the code', () => {
  expect(statusCodeDocUrl('https://docs.example.com/#top#more', 'x')).toBe('https://docs.example.com/status-codes#x');
});
