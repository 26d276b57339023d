import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { docstring } from '../../src/declaring/docstring.ts';
import { verifies } from '../../src/testing/index.ts';

/** A function from its source: what compiles this file would strip comments from a function written here. */
function compile(source: string): (...args: never[]) => unknown {
  return runInThisContext(`(${source})`) as (...args: never[]) => unknown;
}

/** A method from the source of an object or a class. */
function method(source: string, name: string): (...args: never[]) => unknown {
  const made = runInThisContext(source) as Record<string, (...args: never[]) => unknown>;
  return made[name] ?? (() => 0);
}

describe('docstring', () => {
  it.each([
    ['/** … */', 'function f(a) {\n  /** Says a. */\n  return a;\n}'],
    ['/* … */', '(a) => { /* Says a. */ return a; }'],
    ['// …', '(a) => {\n  // Says a.\n  return a;\n}'],
    ['an expression body', '(a) => /** Says a. */ a'],
    ['a line before an expression body', '(a) =>\n  // Says a.\n  a'],
  ])('reads the comment that opens the body: %s', (_, source) => {
    verifies('face.docstring.comment');
    expect(docstring(compile(source))).toBe('Says a.');
  });

  it.each([
    ['double quotes', 'function f(a) {\n  "Says a.";\n  return a;\n}', 'Says a.'],
    ['single quotes', "(a) => { 'Says a.'; return a; }", 'Says a.'],
    ['no semicolon', "(a) => {\n  'Says a.'\n  return a;\n}", 'Says a.'],
    ['nothing after it', "(a) => { 'Says a.' }", 'Says a.'],
    ['an escaped quote', String.raw`(a) => { 'It\'s a.'; }`, "It's a."],
    ['an escaped line end', String.raw`(a) => { "One.\nTwo."; }`, 'One.\nTwo.'],
  ])('reads the string directive that opens the body: %s', (_, source, text) => {
    verifies('face.docstring.directive');
    expect(docstring(compile(source))).toBe(text);
  });

  it('reads what follows "use strict"', () => {
    expect(docstring(compile("(a) => {\n  'use strict';\n  'Says a.';\n  return a;\n}"))).toBe('Says a.');
    expect(docstring(compile("(a) => { 'use strict'; return a; }"))).toBe('');
  });

  it('keeps every line of a block and takes the stars off', () => {
    verifies('face.description.whole-docstring');
    const source = '(a) => {\n  /**\n   * Says a.\n   *\n   *     a()\n   * - twice\n   */\n  return a;\n}';
    expect(docstring(compile(source))).toBe('Says a.\n\n    a()\n- twice');
    expect(docstring(compile(source.replaceAll('\n', '\r\n')))).toBe('Says a.\n\n    a()\n- twice');
  });

  it('keeps every line of line comments up to the first that is none', () => {
    verifies('face.description.whole-docstring');
    const source = '(a) => {\n  // Says a.\n  //\n  //   Twice.\n\n  // Not this.\n  return a;\n}';
    expect(docstring(compile(source))).toBe('Says a.\n\n  Twice.');
    expect(docstring(compile(source.replaceAll('\n', '\r\n')))).toBe('Says a.\n\n  Twice.');
  });

  it('reads the first comment only', () => {
    expect(docstring(compile('() => {\n  /* One. */\n  /* Two. */\n}'))).toBe('One.');
    expect(docstring(compile('() => {\n  /*/ One. */\n}'))).toBe('/ One.');
  });

  it.each([
    ['async', 'async function f(a) { /** Doc. */ }'],
    ['a generator', 'function* f(a) { /** Doc. */ }'],
    ['an async generator', 'async function* f(a) { /** Doc. */ }'],
    ['an async arrow', 'async (a) => { /** Doc. */ }'],
    ['one parameter without parentheses', 'a => { /** Doc. */ }'],
    ['one async parameter without parentheses', 'async a => { /** Doc. */ }'],
    ['no parameters', '() => { /** Doc. */ }'],
    ['destructuring', '({ id, nested: { style = "short" } = {} }, [first, ...rest]) => { /** Doc. */ }'],
    ['a default with braces', '(a = { b: { c: 1 } }) => { /** Doc. */ }'],
    ['a default with parentheses', '(a = (1 + (2))) => { /** Doc. */ }'],
    [
      'a default with a function',
      '(a = function () { /* no */ return 1; }, b = () => { /* no */ }) => { /** Doc. */ }',
    ],
    ['a default with strings', `(a = ")", b = '=> {', c = "\\"(") => { /** Doc. */ }`],
    ['a default with a template', '(a = `)${`{${"}"}`}(`, b = `\\`(`) => { /** Doc. */ }'],
    [
      'a default with a regular expression',
      String.raw`(a = /"/, b = a ? /\(/ : /'/, c = /[/]\)["(]/) => { /** Doc. */ }`,
    ],
    ['a default with divisions', '(a = 4 / 2, b = (a) / 2 / "(".length) => { /** Doc. */ }'],
    ['comments between parameters', '(a /* ) { */, b // => {\n) => { /** Doc. */ }'],
    ['a comment after the parameters', 'function f(a) /* { */ { /** Doc. */ }'],
  ])('finds the body after %s', (_, source) => {
    expect(docstring(compile(source))).toBe('Doc.');
  });

  it.each([
    ['a method', '({ get(a) { /** Doc. */ } })', 'get'],
    ['an async method', '({ async get(a) { /** Doc. */ } })', 'get'],
    ['a generator method', '({ async *get(a) { /** Doc. */ } })', 'get'],
    ['a method with a computed name', '({ ["(" + ")"](a) { /** Doc. */ } })', '()'],
    ['a method with a quoted name', '({ "{("(a) { /** Doc. */ } })', '{('],
    ['a method of a class', 'new (class { get(a = {}) { /** Doc. */ } })', 'get'],
    ['a static method', '(class { static get(a) { /** Doc. */ } })', 'get'],
    ['a field of a class', 'new (class { get = (a) => { /** Doc. */ } })', 'get'],
  ])('reads %s', (_, source, name) => {
    expect(docstring(method(source, name))).toBe('Doc.');
  });

  it.each([
    ['an empty body', '() => {}'],
    ['code', '(a) => { return a; /** No. */ }'],
    ['a comment before the body', '(a /** No. */) => { return a; }'],
    ['an expression', '(a) => a + 1'],
    ['an object', '() => ({ /** No. */ a: 1 })'],
    ['a string that is returned', "() => 'No.'"],
    ['a string that is used', "() => { 'No.'.length; }"],
    ['a template', '() => { `No.`; }'],
    ['a regular expression', '() => /no/'],
    ['an empty comment', '() => { /**/ }'],
  ])('is empty for %s', (_, source) => {
    expect(docstring(compile(source))).toBe('');
  });

  it('is empty for functions without a source', () => {
    expect(docstring(Math.max)).toBe('');
    expect(docstring(compile('(a) => { /** Doc. */ }').bind(null))).toBe('');
  });

  it('reads long parameters in time that grows with their length', () => {
    const msOf = (slashes: number): number => {
      const long = new Function(`a = 1${' / 1'.repeat(slashes)}`, '/* Halve it. */') as () => void;
      const before = process.cpuUsage();
      expect(docstring(long)).toBe('Halve it.');
      return process.cpuUsage(before).user / 1_000;
    };
    msOf(100);
    // Twenty times as many, with room for a busy machine; looking back to the start each time made it four hundred times.
    expect(msOf(20_000)).toBeLessThan(100 * Math.max(msOf(1_000), 1));
  });
});
