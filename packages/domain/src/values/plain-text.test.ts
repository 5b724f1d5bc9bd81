import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPlainText } from './plain-text.ts';

test('the text of a mail has one line per paragraph and no markup', () => {
  const html =
    '<html><head><style>p { color: red }</style></head><body><p>Hello <b>Kim</b>,</p>\n<p>5&nbsp;&lt;&nbsp;6 &amp; so&#39;s 7<br>Bye</p></body></html>';
  expect(toPlainText(html)).toBe("Hello Kim ,\n5 < 6 & so's 7\nBye");
  expect(toPlainText('<p>a</p><p></p><p></p><p>b</p>')).toBe('a\n\nb');
  expect(toPlainText('İİİİ<STYLE>hidden</Style>Hello')).toBe('İİİİ Hello');
});

test('takes any text', () => {
  fc.assert(fc.property(fc.string(), (text) => toPlainText(text).length <= text.length));
});

test('takes a mail of many opened elements in linear time', () => {
  expect(toPlainText(`a${'<style>'.repeat(100_000)}b`)).toBe('a');
});
