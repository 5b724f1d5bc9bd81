import { expect, test } from 'vitest';
import { connectionDashboardUrl, statusCodeDocUrl } from './dashboard-links.ts';

test.each(['', '/', '//'])('accepts a URL that ends in "%s"', (end) => {
  expect(connectionDashboardUrl(`https://app.example.com/a${end}`, 11)).toBe(
    'https://app.example.com/a/connections/11',
  );
  expect(statusCodeDocUrl(`https://docs.example.com/api${end}`, 'crm_disconnected')).toBe(
    'https://docs.example.com/api/status-codes#crm_disconnected',
  );
});

test('replaces the anchor of the documentation URL', () => {
  expect(statusCodeDocUrl('https://docs.example.com/#top#more', 'x')).toBe('https://docs.example.com/status-codes#x');
});
