import { expect, test } from 'vitest';
import { renderPicture } from './screen-picture.ts';

const ESC = '\u001b';
const textsOf = (screen: string) =>
  renderPicture('svc x', screen, 80)
    .split('\n')
    .filter((line) => line.startsWith('<text') && line.includes('textLength'));

test('each stretch stands in its columns, in its style', () => {
  expect(textsOf(`one  ${ESC}[1;31mtwo${ESC}[0m`)).toEqual([
    '<text x="14.0" y="44" textLength="25.2" fill="#d1d7e0">one</text>',
    '<text x="56.0" y="44" textLength="25.2" fill="#ff7b72" font-weight="bold">two</text>',
  ]);
});

test('a style goes on in the next line', () => {
  expect(textsOf(`${ESC}[2ma\n  b${ESC}[22mc`).map((text) => text.replace(/ textLength="[^"]*"/, ''))).toEqual([
    '<text x="14.0" y="44" fill="#d1d7e0" opacity="0.65">a</text>',
    '<text x="30.8" y="62" fill="#d1d7e0" opacity="0.65">b</text>',
    '<text x="39.2" y="62" fill="#d1d7e0">c</text>',
  ]);
});

test('spaces beside each other keep their width', () => {
  expect(textsOf('a   b c').map((text) => /x="([\d.]+)".*>(.*)</.exec(text)?.slice(1))).toEqual([
    ['14.0', 'a'],
    ['47.6', 'b c'],
  ]);
});

test('a long command goes on in the next line', () => {
  const picture = renderPicture(`svc ${'--flag value '.repeat(8).trim()}`, 'x', 80);
  expect(picture.match(/fill="#9198a1">.*</g)).toEqual([
    expect.stringMatching(/>\$ svc --flag .* \\<$/),
    expect.stringMatching(/>(--flag )?value.*[^\\]<$/),
  ]);
});

test('what XML would read as its own', () => {
  expect(renderPicture('svc a > b', '<&', 80)).toContain('>&lt;&amp;</text>');
  expect(renderPicture('svc a > b', '', 80)).toContain('<title>svc a &gt; b</title>');
});

test('a code that would be lost is a mistake', () => {
  expect(() => renderPicture('svc x', `${ESC}[45mx`, 80)).toThrow('no code 45');
});
