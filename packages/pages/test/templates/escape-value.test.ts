import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { escapeValue } from '../../src/templates/escape-value.ts';
import { readTemplates } from '../../src/templates/read-templates.ts';
import { folderOf } from '../serve.ts';

const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code));

describe('escapeValue', () => {
  it('escapes the seven characters that can end a text or an attribute', () => {
    expect(escapeValue(`&<>"'\`=`)).toBe('&amp;&lt;&gt;&quot;&#x27;&#x60;&#x3D;');
  });

  it.each([
    ['every character alone', characters],
    ['every character between others', characters.map((one) => `a${one}b<${one}>${one}`)],
    ['all of them in one text', [characters.join('')]],
    ['what is beyond one unit of a text', ['\u{1f600}<\u{1f600}', '\ud83d<', '<\ude00', '\u2028&\uffff']],
    ['texts with nothing to escape', ['', 'plain', 'x'.repeat(10_000)]],
    ['numbers', [0, -0, 1, -1.5, 1e21, 1e-7, Number.NaN, Infinity, -Infinity]],
    ['what is neither', [null, undefined, true, false, 12n, ['<', 1], {}, { toString: () => '<i>' }]],
    ['functions', [(a: number) => a > 1 && a < 2]],
    ['what looks like markup that is safe', [{ toHTML: '<b>' }, new Handlebars.SafeString('<b>')]],
  ])('answers what Handlebars does: %s', (_, values) => {
    expect(values.map(escapeValue)).toEqual(
      values.map((value) => Handlebars.escapeExpression(value as string)),
    );
  });

  it('throws for what is no text at all, as Handlebars does', () => {
    for (const value of [Symbol('a'), Object.create(null)])
      expect(() => escapeValue(value)).toThrow(TypeError);
  });

  it('is what templates escape with, in blocks and partials as well', () => {
    const shown = `{{text}}{{count}}{{#if text}}{{text}}{{/if}}<i title="{{text}}"></i>`;
    const templates = readTemplates(
      folderOf({
        'page.hbs': `{{#*inline "own"}}${shown}{{/inline}}${shown}{{> part}}{{> own}}{{#> around}}${shown}{{/around}}`,
        'partials/part.hbs': shown,
        'partials/around.hbs': `${shown}{{> @partial-block}}`,
      }),
    );
    expect(templates.problems).toEqual([]);
    const once =
      '&lt;a&#x3D;&quot;1&quot;&gt;7&lt;a&#x3D;&quot;1&quot;&gt;<i title="&lt;a&#x3D;&quot;1&quot;&gt;"></i>';
    expect(templates.find('page')?.({ text: '<a="1">', count: 7 })).toBe(once.repeat(5));
  });
});
