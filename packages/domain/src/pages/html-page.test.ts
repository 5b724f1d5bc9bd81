import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { pageHeaders, renderPage } from './html-page.ts';

test('the policy allows the style sheet of the page by its hash', () => {
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(renderPage({ title: 'A & B', body: '<p>x</p>' })) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(pageHeaders()['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}'`);
});

test('escapes the title', () => {
  expect(renderPage({ title: '<b> & "c"', body: '<p>x</p>' })).toContain(
    '<h1>&lt;b&gt; &amp; &quot;c&quot;</h1>\n<p>x</p>',
  );
});
