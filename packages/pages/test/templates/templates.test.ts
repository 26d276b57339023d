import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { readTemplates } from '../../src/templates/read-templates.ts';
import { folderOf } from '../serve.ts';

/** Renders a template and its partials with a context. */
function render(files: Readonly<Record<string, string>>, context: object, name = 'page'): string {
  const templates = readTemplates(folderOf(files));
  expect(templates.problems).toEqual([]);
  return templates.find(name)?.(context) ?? '<none>';
}

/** What is wrong with one template, as line, code and rule. */
function faults(source: string, files: Readonly<Record<string, string>> = {}): readonly string[] {
  const folder = folderOf({ 'page.hbs': source, ...files });
  return readTemplates(folder).problems.map(
    ({ at, code, rule, severity, nearest, fix }) =>
      `${at?.split(':').at(-1)} ${severity ?? 'error'} ${code}: ${rule}; ${nearest ?? fix}`,
  );
}

describe('a template', () => {
  it('shows names, members, lists and conditions', () => {
    const source =
      '{{#each rows}}{{@index}}{{title}}{{#if urgent}}!{{else}}.{{/if}}{{else}}none{{/each}} {{who.name}}';
    const rows = [{ title: 'a', urgent: true }, { title: 'b' }];
    expect(render({ 'page.hbs': source }, { rows, who: { name: 'ada' } })).toBe('0a!1b. ada');
    expect(render({ 'page.hbs': source }, { rows: [] })).toBe('none ');
  });

  it('shows nothing for what is not there', () => {
    expect(render({ 'page.hbs': '[{{no}}{{no.more}}{{#no}}x{{/no}}{{lookup no "x"}}]' }, {})).toBe('[]');
  });

  it('escapes what it shows', () => {
    const text = `<b a="1" b='2' c=\`3\`>&`;
    expect(render({ 'page.hbs': '{{text}}' }, { text })).toBe(
      '&lt;b a&#x3D;&quot;1&quot; b&#x3D;&#x27;2&#x27; c&#x3D;&#x60;3&#x60;&gt;&amp;',
    );
  });

  it('uses partials, with what they are handed, and layouts', () => {
    const files = {
      'page.hbs': '{{#> layout title="Board"}}{{#each rows}}{{> desk/row mark="*"}}{{/each}}{{/layout}}',
      'partials/layout.hbs': '<h1>{{title}}</h1>{{> @partial-block}}{{> foot}}',
      'partials/desk/row.hbs': '<p>{{title}}{{mark}}{{@root.user.id}}</p>',
      'partials/foot.html': '<hr>',
    };
    const context = { rows: [{ title: 'a' }, { title: 'b' }], user: { id: 'ada' } };
    expect(render(files, context)).toBe('<h1>Board</h1><p>a*ada</p><p>b*ada</p><hr>');
  });

  it('may hold partials of its own', () => {
    const source = '{{#*inline "item"}}<li>{{this}}</li>{{/inline}}{{#each list}}{{> item}}{{/each}}';
    expect(render({ 'page.hbs': source }, { list: [1, 2] })).toBe('<li>1</li><li>2</li>');
  });

  it('may hold partials of its own in its blocks, which nothing outside of them sees', () => {
    const source =
      '{{#each list}}{{#if this}}{{#*inline "item"}}<li>{{this}}</li>{{/inline}}{{> item}}{{else}}-{{/if}}{{/each}}{{> item}}';
    const files = { 'page.hbs': source, 'partials/item.hbs': '<p>{{list.length}}</p>' };
    expect(render(files, { list: [1, 0, 2] })).toBe('<li>1</li>-<li>2</li><p>3</p>');
  });

  it('is shown alike whatever an earlier one failed with', () => {
    const source =
      '{{#*inline "item"}}{{#if late}}{{late.text}}{{/if}}{{/inline}}{{#each list}}{{> item}}{{/each}}';
    const templates = readTemplates(folderOf({ 'page.hbs': source }));
    const broken = {
      get text() {
        throw new Error('not today');
      },
    };
    const show = (late: object): string | undefined => templates.find('page')?.({ list: [{ late }] });
    expect(show({ text: '<a>' })).toBe('&lt;a&gt;');
    expect(() => show(broken)).toThrow('not today');
    expect(show({ text: '<b>' })).toBe('&lt;b&gt;');
  });

  it('is named with or without its ending, .hbs before .html, below folders', () => {
    const files = {
      'page.hbs': 'hbs',
      'page.html': 'html',
      'a/b.html': 'deep',
      '.hidden.hbs': '{{#if',
      'x.txt': '{{#if',
    };
    const templates = readTemplates(folderOf(files));
    expect(templates.names).toEqual(['a/b.html', 'page.hbs', 'page.html']);
    const [byName, byFile, deep] = ['page', 'page.html', 'a/b'].map((name) => templates.find(name)?.({}));
    expect([byName, byFile, deep]).toEqual(['hbs', 'html', 'deep']);
    expect(templates.find('partials/x') ?? templates.find('pag')).toBeUndefined();
  });

  it('keeps the lines of a partial as they are', () => {
    const files = {
      'page.hbs': '<div>\n    {{> lines}}\n</div>',
      'partials/lines.hbs': '<pre>\na\nb</pre>\n',
    };
    expect(render(files, {})).toBe('<div>\n    <pre>\na\nb</pre>\n</div>');
  });

  it('reads nothing after it was compiled', () => {
    const folder = folderOf({ 'page.hbs': 'old' });
    const templates = readTemplates(folder);
    expect(templates.find('page')?.({})).toBe('old');
    folderOf({});
    expect(templates.find('page')?.({})).toBe('old');
  });

  it('shares nothing with templates of another directory', () => {
    render({ 'page.hbs': '{{> own}}', 'partials/own.hbs': 'a' }, {});
    expect(faults('{{> own}}')).toEqual([
      '1 error template-partial: unknown partial "own"; add partials/own.hbs to the templates',
    ]);
  });
});

describe('what a template can reach', () => {
  const secrets = ['constructor', '__proto__', '__defineGetter__', 'toString', 'valueOf', 'hasOwnProperty'];

  it.each(secrets)('is not %s of anything', (name) => {
    verifies('page.own-members');
    class Row {
      title = 'a';
      get hidden() {
        return 'seen';
      }
    }
    const context = { row: new Row(), list: [1], text: 'a', number: 1, map: { a: 1 }, fn: () => 'x', name };
    const source = [
      ...['row', 'list', 'text', 'number', 'map', 'fn', 'this', '@root'].flatMap((from) => [
        `{{${from}.[${name}]}}`,
        `{{${from}.${name}.name}}`,
        `{{lookup ${from} "${name}"}}`,
        `{{lookup ${from} name}}`,
        `{{lookup (lookup ${from} "${name}") "name"}}`,
        `{{#with ${from}.${name}}}x{{/with}}`,
        `{{#each ${from}.${name}}}x{{/each}}`,
      ]),
      '{{row.hidden}}{{lookup row "hidden"}}',
    ].join('');
    expect(render({ 'page.hbs': source.replaceAll('this.[', './[') }, context)).toBe('');
  });

  it('is what the data has itself, under whatever name', () => {
    const context = JSON.parse('{"constructor":"a","__proto__":"b","toString":"c","lookup":"d"}');
    expect(render({ 'page.hbs': '{{constructor}}{{__proto__}}{{toString}}{{this.lookup}}' }, context)).toBe(
      'abcd',
    );
  });

  it('never prints on the console of the server', () => {
    const lines: unknown[] = [];
    const { error, log } = console;
    console.error = console.log = (...line: unknown[]) => void lines.push(line);
    try {
      render(
        { 'page.hbs': '{{a.neverAskedBefore}}' },
        { a: Object.create({ neverAskedBefore: 1 }) as object },
      );
    } finally {
      Object.assign(console, { error, log });
    }
    expect(lines).toEqual([]);
  });
});

describe('a mistake in a template', () => {
  it.each([
    [
      'a\n{{#if a}}x',
      '2 error template-syntax: it ends before everything in it is closed; close {{ with }}, and {{#name}} with {{/name}}',
    ],
    ['\n{{#if a}}x{{/each}}', '2 error template-syntax: {{#if}} is closed by {{/each}}; write {{/if}}'],
    ['a\nb {{foo', '2 error template-syntax: it does not parse near "ab {{foo"; correct it'],
    [
      '\n\n{{#each rows}}{{uper title}}{{/each}}',
      '3 error template-helper: unknown helper "uper"; take it out, or work it out before; there are if, unless, each, with, lookup',
    ],
    ['{{lokup a b}}', '1 error template-helper: unknown helper "lokup"; lookup'],
    [
      '{{#if (eq a b)}}x{{/if}}',
      '1 error template-helper: unknown helper "eq"; take it out, or work it out before; there are if, unless, each, with, lookup',
    ],
    [
      '{{log a}}',
      '1 error template-helper: unknown helper "log"; take it out, or work it out before; there are if, unless, each, with, lookup',
    ],
    [
      '{{helperMissing}}',
      '1 error template-helper: unknown helper "helperMissing"; take it out, or work it out before; there are if, unless, each, with, lookup',
    ],
    [
      '{{[a url] x}}',
      '1 error template-helper: unknown helper "a url"; take it out, or work it out before; there are if, unless, each, with, lookup',
    ],
    [
      '{{a.b c}}',
      '1 error template-helper: unknown helper "a.b"; take it out, or work it out before; there are if, unless, each, with, lookup',
    ],
    ['{{#if a b}}x{{/if}}', '1 error template-helper: {{if}} has 2 arguments; give it 1'],
    ['{{#each}}x{{/each}}', '1 error template-helper: {{each}} has 0 arguments; give it 1'],
    ['{{lookup a}}', '1 error template-helper: {{lookup}} has 1 arguments; give it 2'],
    ['{{if a}}', '1 error template-helper: {{if}} is in the wrong place; write {{#if …}}…{{/if}}'],
    [
      '{{#lookup a b}}{{/lookup}}',
      '1 error template-helper: {{lookup}} is in the wrong place; write {{lookup …}}',
    ],
    [
      '{{* foo}}',
      '1 error template-helper: unknown decorator "foo"; write {{#*inline "name"}}…{{/inline}}, or a partial of its own',
    ],
    [
      '{{> (lookup . "x")}}',
      '1 error template-partial: the name of a partial is worked out; write its name, in {{#if}} where it depends on something',
    ],
    ['a{{> nav}}', '1 error template-partial: unknown partial "nav"; add partials/nav.hbs to the templates'],
    ['{{#> layout}}{{> foto}}{{/layout}}', '1 error template-partial: unknown partial "foto"; foot'],
    [
      'x\n{{{html}}}',
      '2 warning template-raw: {{{html}}} is not escaped: whoever wrote it can run scripts; write {{html}}',
    ],
    [
      '{{& html}}',
      '1 warning template-raw: {{{html}}} is not escaped: whoever wrote it can run scripts; write {{html}}',
    ],
  ])('%j is reported with its line', (source, line) => {
    expect(
      faults(source, { 'partials/foot.hbs': '', 'partials/layout.hbs': '{{> @partial-block}}' }),
    ).toEqual([line]);
  });

  it('in a partial is reported with the file of the partial', () => {
    const folder = folderOf({ 'page.hbs': '', 'partials/nav.hbs': '\n{{#if' });
    const [problem] = readTemplates(folder).problems;
    expect(problem).toMatchObject({
      declaration: 'template "partials/nav.hbs"',
      at: `${folder}/partials/nav.hbs:2`,
    });
  });

  it('keeps none of the templates of a directory from being looked at', () => {
    expect(faults('{{#if', { 'b.hbs': '{{uper a}}' })).toHaveLength(2);
  });
});

describe('the size of templates', () => {
  const size = (source: string) => faults(source).filter((line) => line.includes('template-size'));

  it.each([
    ['under', 1_048_575, 0],
    ['at', 1_048_576, 0],
    ['over', 1_048_577, 1],
  ])('is looked at %s 1 MB', (_, bytes, count) => {
    expect(size('x'.repeat(bytes))).toHaveLength(count);
  });

  it.each([
    ['under', 99, 0],
    ['at', 100, 0],
    ['over', 101, 1],
    ['far over', 5_000, 1],
  ])('is looked at %s 100 levels', (_, levels, count) => {
    const source = `${'{{#if a}}'.repeat(levels)}x${'{{/if}}'.repeat(levels)}`;
    expect(size(source)).toHaveLength(count);
  });

  it.each([
    ['at', 99, 0],
    ['over', 100, 1],
  ])('is looked at %s 100 levels of else if', (_, levels, count) => {
    const chain = Array.from({ length: levels }, (_, i) => `{{else if b${i}}}y`).join('');
    expect(size(`{{#if a}}x${chain}{{/if}}`)).toHaveLength(count);
  });

  it('is looked at without its comments', () => {
    expect(size('{{!-- {{#if a}} --}}'.repeat(200))).toEqual([]);
  });

  it('is at most 1,000 in a directory', () => {
    const many = (count: number) =>
      readTemplates(folderOf(Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}.hbs`, '']))))
        .problems;
    expect(many(1_000)).toEqual([]);
    expect(many(1_001)).toMatchObject([
      { code: 'template-size', rule: 'it holds 1001 templates, more than 1000' },
    ]);
  });
});
