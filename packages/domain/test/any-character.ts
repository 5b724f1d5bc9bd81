import * as fc from 'fast-check';

const SURROGATES_START = 0xd800;
const SURROGATES = 0x800;

/** Any Unicode character, like fast-check's `unit: 'binary'`, which takes a second to create. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map(toCharacter, toIndex);

function toCharacter(index: number): string {
  return String.fromCodePoint(index < SURROGATES_START ? index : index + SURROGATES);
}

/** The inverse of `toCharacter`, with which fast-check can try its known difficult strings. */
function toIndex(character: unknown): number {
  if (typeof character !== 'string' || [...character].length !== 1 || !character.isWellFormed()) {
    throw new Error('not one character');
  }
  const codePoint = character.codePointAt(0) ?? 0;
  return codePoint < SURROGATES_START ? codePoint : codePoint - SURROGATES;
}
