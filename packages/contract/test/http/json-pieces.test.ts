import { describe, expect, it } from 'vitest';
import { jsonPieces } from '../../src/http/index.ts';

const whole = 32_768;
const one = 8_192;

/** How many pieces a text is read in. */
function piecesOf(text: string): number {
  const reading = jsonPieces(text);
  let pieces = 1;
  while (!reading.next().done) pieces++;
  return pieces;
}

/** An object of so many characters, full of names, inside of so many others. */
function names(length: number, depth = 0): string {
  const [before, after] = ['{"a":'.repeat(depth), '}'.repeat(depth)];
  let members = '"b":1';
  for (let i = 0; members.length < length - 40; i++) members += `,"n${i}":1`;
  return `${before}{${members}${' '.repeat(Math.max(0, length - members.length - 2 - 6 * depth))}}${after}`;
}

describe('jsonPieces', () => {
  it('reads a short text at once, and a longer one in pieces', () => {
    expect(names(whole)).toHaveLength(whole);
    expect(piecesOf(names(whole))).toBe(1);
    expect(piecesOf(names(whole + 100))).toBe(5);
    expect(piecesOf(names(128 * one))).toBe(128);
  });

  it('reads in pieces however deep the names are', () => {
    expect(piecesOf(names(128 * one, 60))).toBeGreaterThanOrEqual(128);
  });

  it('leaves no piece for the end where each container holds less than one', () => {
    // 60 in each other, with 7,500 characters each: none is a piece by itself.
    const members = names(7_500).slice(1, -1);
    const nested = `${`{${members},"in":`.repeat(60)}1${'}'.repeat(60)}`;
    expect(piecesOf(nested)).toBeGreaterThan(40);
  });

  it.each([
    ['a number in front of a container', (many: string) => `{"a":1${many}}`],
    ['a sign in front of a container', (many: string) => `{"a":-${many}}`],
    ['two containers without a comma', (many: string) => `[${many} ${many}]`],
    ['a comma behind the last member', (many: string) => `[${many},]`],
    ['a comma behind the last name', (many: string) => `${many.slice(0, -1)},}`],
    ['a comma in front of the first', (many: string) => `[,${many}]`],
    ['two commas', (many: string) => `[${many},,${many}]`],
    ['another bracket', (many: string) => `[${many}}`],
    ['no end', (many: string) => `[${many}`],
    ['something behind the end', (many: string) => `${many}1`],
    ['something in front of the beginning', (many: string) => `1${many}`],
    ['a container for a name', (many: string) => `{${many}:1}`],
    ['a container without a name', (many: string) => `{${many}}`],
    ['a string without an end', (many: string) => `[${many},"]`],
  ])('refuses %s', (_, broken) => {
    const text = broken(names(whole + 3 * one));
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => piecesOf(text)).toThrow(SyntaxError);
  });
});
