import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { readTemplates } from '../../src/templates/read-templates.ts';
import { folderOf } from '../serve.ts';

/** Renders a template with `x`. */
function render(source: string, x: unknown): string {
  const templates = readTemplates(folderOf({ 'page.hbs': source }));
  expect(templates.problems).toEqual([]);
  return templates.find('page')?.({ x, list: [x] }) ?? '<none>';
}

/** What is wrong with where a template puts data, without the rest. */
function faults(source: string, partials: Readonly<Record<string, string>> = {}): readonly string[] {
  const files = { 'page.hbs': source, 'partials/p.hbs': '', ...partials };
  return readTemplates(folderOf(files)).problems.map(({ code, rule }) => `${code}: ${rule}`);
}

describe('data in an address', () => {
  const addresses = [
    '/tickets/1',
    'tickets?x=a:b',
    '#a:b',
    '',
    '//host/path',
    'https://example.com/a:b',
    'HTTP://example.com',
    'mailto:ada@example.com',
    'tel:+123',
  ];
  const scripts = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    ':alert(1)',
    'x:y',
  ];
  it.each(addresses)('is %j as it is', (x) => {
    const html = render('<a href="{{x}}">', x);
    expect(html).toBe(`<a href="${x.replaceAll('=', '&#x3D;')}">`);
  });

  it.each(scripts)('is never %j', (x) => {
    verifies('page.places');
    for (const name of [
      'href',
      'src',
      'action',
      'formaction',
      'xlink:href',
      'poster',
      'data',
      'HREF',
      'ping',
    ])
      expect(render(`<a ${name}="{{x}}">`, x)).toBe(`<a ${name}="about:invalid">`);
    expect(render("<a href='{{#if x}}{{x}}{{/if}}'>", x)).toBe("<a href='about:invalid'>");
  });

  it('is anything behind a scheme, a slash, a question mark or a hash of the template', () => {
    for (const begin of ['/', '?q=', '#', 'https://h/', 'mailto:', 'a/b', 'data:image/png;base64,'])
      expect(render(`<a href="${begin}{{x}}">`, 'javascript:a')).toBe(`<a href="${begin}javascript:a">`);
  });

  it('cannot make a scheme out of pieces', () => {
    expect(render('<a href="{{x}}{{lookup list 0}}">', 'javascript')).toBe('<a href="javascriptjavascript">');
    expect(render('<a href="ja{{x}}">', 'vascript:alert(1)')).toBe('<a href="jaabout:invalid">');
    expect(faults('<a href="{{x}}:{{y}}">')).toEqual([
      'template-markup: what this text means depends on what is shown before it',
    ]);
  });

  it('is empty for what is no text', () => {
    for (const x of [undefined, null, { a: 1 }, ['javascript:alert(1)']])
      expect(render('<a href="{{x}}">', x)).toBe('<a href="">');
    expect(render('<a href="{{x}}">', 7)).toBe('<a href="7">');
  });
});

describe('data in the address of a refresh', () => {
  const refresh = (content: string) => `<meta http-equiv="refresh" content="${content}">`;

  it('has a scheme that runs nothing', () => {
    verifies('page.places');
    for (const begin of ['0;url=', ' 5 ; URL = ', '5,url=', '0.5 url=', "0;url='", '0;url= \n'])
      for (const script of [
        'javascript:alert(1)',
        'java\nscript:alert(1)',
        'data:text/html,x',
        '0;url=javascript:a',
      ])
        expect(render(refresh(`${begin}{{x}}`), script)).toBe(refresh(`${begin}about:invalid`));
    expect(render("<META CONTENT='{{y}}'><META HTTP-EQUIV=Refresh CONTENT='0;url={{x}}'>", 'a:b')).toBe(
      "<META CONTENT=''><META HTTP-EQUIV=Refresh CONTENT='0;url=about:invalid'>",
    );
    expect(render(refresh('0;url={{x}}'), 'https://a/b:c')).toBe(refresh('0;url=https://a/b:c'));
    expect(render(refresh('0;url=/a/{{x}}'), 'b:c')).toBe(refresh('0;url=/a/b:c'));
  });

  it.each([
    refresh('{{x}}'),
    refresh('{{x}};url=/a'),
    refresh('0;{{x}}'),
    refresh('0;{{x}}url=/a'),
    refresh('0;u{{x}}'),
    refresh('0;url&#61;{{x}}'),
    refresh("0;url='javascript:f({{x}})"),
    refresh('{{#if a}}0;url={{/if}}{{x}}'),
    '<meta http-equiv="{{x}}" content="0;url=/a">',
    '<meta http-equiv="re{{x}}" content="0;url=/a">',
    '<meta http-equiv="&#114;efresh" content="{{x}}">',
    '<meta content="0;url={{x}}" http-equiv="refresh">',
    '<meta {{#if a}}content="{{x}}"{{/if}} http-equiv=refresh>',
    '<meta {{#if a}}http-equiv="refresh"{{/if}} content="{{x}}">',
    '<meta {{#if a}}content="{{x}}"{{else}}http-equiv="refresh"{{/if}} http-equiv="refresh">',
  ])('is told from the rest at boot: %j', (source) => {
    expect(faults(source)[0]).toMatch(/^template-(?:place|markup): /);
  });
});

describe('data in a list of images', () => {
  it.each(['srcset', 'SRCSET', 'imagesrcset'])('is an address in %s', (name) => {
    verifies('page.places');
    const shown = (value: string, x: unknown) =>
      render(`<img ${name}="${value}">`, x).slice(`<img ${name}="`.length, -2);
    for (const script of ['javascript:alert(1)', ' javascript:a', ',javascript:a', 'a ,data:x', 'data:a/b,c'])
      for (const [begin, end] of [
        ['', ''],
        ['', ' 1x'],
        [' , ', ' 1x'],
        ['/a 1x, ', ' 2x'],
        ['/a,b 1x,', ' 2x'],
        ['/a, ', ' 2x'],
        ['/a,\n\n', ' 2x'],
      ] as const)
        expect(shown(`${begin}{{x}}${end}`, script)).toBe(`${begin}about:invalid${end}`);
    expect(shown('{{x}} 1x, {{x}} 2x', '/a.png')).toBe('/a.png 1x, /a.png 2x');
    expect(shown('{{x}}, /b 2x', '/a')).toBe('/a, /b 2x');
  });

  it('begins no other address', () => {
    const source = (value: string) => `<img srcset="/i/${value}.png 1x, /b 2x">`;
    expect(render(source('{{x}}'), 'a 1x, javascript:b')).toBe(source('a%201x%2C%20javascript:b'));
    expect(render('<img srcset="{{x}} 1x">', '/a,\tb')).toBe('<img srcset="/a%2C%09b 1x">');
    expect(render('<img srcset="/a {{x}}w">', 400)).toBe('<img srcset="/a 400w">');
    expect(render('<img srcset="/a {{x}}">', '1x, javascript:b')).toBe('<img srcset="/a ">');
    expect(render('<img srcset="/a-{{x}}.png {{x}}w, {{x}} {{x}}w">', 7)).toBe(
      '<img srcset="/a-7.png 7w, 7 7w">',
    );
  });

  it.each([
    '<img srcset="{{x}}:a 1x">',
    '<img srcset="/a 1x, javascript:{{x}} 2x">',
    '<img srcset="/a&#32;1x&comma;{{x}}">',
    '<img srcset={{x}}>',
    '<img srcset="/a {{#if a}}1x,{{/if}}{{x}}">',
  ])('is told from the rest at boot: %j', (source) => {
    expect(faults(source)[0]).toMatch(/^template-(?:place|markup): /);
  });
});

describe('data in SVG and MathML', () => {
  it('is in elements whose content has no tags in HTML', () => {
    verifies('page.places');
    for (const [begin, end] of [
      ['<svg><title>', '</title></svg>'],
      ['<svg><desc><svg/><p></p>', '</desc></svg>'],
      ['<SVG viewBox="0 0 1 1"><g><style>', '</style></g></SVG>'],
      ['<svg><textarea>', '</textarea></svg>'],
      ['<svg><![CDATA[ > <p title="]]>', '</svg>'],
      ['<svg><script/>', '</svg>'],
      ['<math><title>', '</title></math>'],
      ['<math><mi><svg><title>', '</title></svg></mi></math>'],
      ['<math><annotation-xml><svg><title>', '</title></svg></annotation-xml></math>'],
    ] as const)
      expect(render(`${begin}<a href="{{x}}">y</a>${end}`, 'javascript:alert(1)')).toBe(
        `${begin}<a href="about:invalid">y</a>${end}`,
      );
  });

  it('is text where HTML is around it, or in it', () => {
    const x = 'a:<';
    for (const [begin, end] of [
      ['<svg></svg><title><a href="', '</title>'],
      ['<svg/><title><a href="', '</title>'],
      ['<svg><g><p></p><title><a href="', '</title>'],
      ['<svg><g></p><title><a href="', '</title>'],
      ['<svg><title><title><a href="', '</title></title></svg>'],
      ['<svg><foreignObject><title><a href="', '</title></foreignObject></svg>'],
      ['<math><mtext><textarea><a href="', '</textarea></mtext></math>'],
    ] as const)
      expect(render(`${begin}{{x}}">${end}`, x)).toBe(`${begin}a:&lt;">${end}`);
  });

  it.each([
    ['<svg><script>{{x}}</script></svg>', 'in <script>'],
    ['<svg><script type="application/json">{{x}}</script></svg>', 'in <script>'],
    ['<svg><style>{{x}}</style></svg>', 'in <style>'],
    ['<svg><style><a/>{{x}}</style></svg>', 'in <style>'],
    ['<svg><foreignObject><style>{{x}}</style></foreignObject></svg>', 'in <style>'],
    ['<svg><style><![CDATA[ a > b {{x}} ]]></style></svg>', 'in a CDATA section'],
    ['<svg><title><b onclick="{{x}}"></b></title></svg>', 'in the attribute onclick'],
  ])('is in no script or style: %j', (source, place) => {
    expect(faults(source)).toEqual([`template-place: data stands ${place}`]);
  });

  it.each([
    ['<svg><font>', 'font'],
    ['<svg><title></svg>', '/svg'],
    ['<svg><title><![CDATA[ ]]></title></svg>', '![CDATA['],
    ['<math><annotation-xml><title>', 'title'],
    ['<math><annotation-xml><svg><p>', 'p'],
  ])('is told from the rest at boot: %j', (source, element) => {
    expect(faults(source)).toEqual([
      `template-markup: <${element}> in <svg> or <math> may be read in two ways`,
    ]);
  });

  it('ends where it began', () => {
    expect(faults('<svg><g>')).toEqual(['template-markup: it ends in <svg>']);
    expect(faults('{{#if a}}<svg>{{/if}}')[0]).toMatch(/^template-markup: \{\{#if\}\} ends in another place/);
    expect(faults('<svg {{#if a}}/{{/if}}>')[0]).toMatch(/^template-markup: /);
  });

  it('may be in a partial whose markup means the same there', () => {
    const partials = (source: string) => ({ 'partials/p.hbs': source, 'partials/q.hbs': '{{> p}}{{> q}}' });
    for (const fine of [
      '<path d="{{x}}"/>',
      '{{#if a}}<a href="{{x}}">{{x}}</a>{{/if}}',
      '<svg><title>{{x}}</title></svg>',
    ])
      for (const name of ['p', 'q']) expect(faults(`<svg>{{> ${name}}}</svg>`, partials(fine))).toEqual([]);
    for (const other of [
      '<title><a href="{{x}}">y</a></title>',
      '<style>a</style>{{> @partial-block}}',
      '</svg>',
      '<p>',
      '<textarea><p title="</textarea>{{x}}<p title="">',
    ])
      for (const name of ['p', 'q'])
        expect(faults(`<svg>{{> ${name}}}</svg>`, partials(other))).toEqual([
          'template-place: a partial stands in <svg>',
        ]);
    // Each way to read one looks at those in it, so that 40 of them would never come to an end.
    const chain = Array.from({ length: 40 }, (_, i) => [`partials/c${i}.hbs`, `<svg>{{> c${i + 1}}}</svg>`]);
    const files = { ...Object.fromEntries(chain), 'partials/c40.hbs': '<p title="{{x}}"></p>' };
    expect(faults('<svg>{{> c0}}</svg>', files).at(-1)).toMatch(
      /^template-place: a partial stands in <svg>$/,
    );
    expect(faults('{{#*inline "p"}}<path/>{{/inline}}<svg>{{> p}}</svg>')).toEqual([
      'template-place: a partial stands in <svg>',
    ]);
  });
});

describe('data in a style', () => {
  it.each(['red', '12.5%', '-3px', '#a0b1c2', '1px solid red', 0])('may be %j', (x) => {
    expect(render('<p style="width: {{x}}">', x)).toBe(`<p style="width: ${x}">`);
  });

  it.each(['red; background: url(//evil)', 'url(x)', 'a:b', '"', '\\', 'a'.repeat(101)])(
    'is never %j',
    (x) => {
      expect(render('<p style="width: {{x}}">', x)).toBe('<p style="width: ">');
    },
  );
});

describe('data in a script of JSON', () => {
  it.each(['application/json', 'application/ld+json', 'APPLICATION/JSON'])('of type %s is JSON', (type) => {
    const x = { a: '</script><!--&\u2028', b: [1, null] };
    const html = render(`<script type="${type}">{{x}}</script>`, x);
    expect(html).not.toMatch(/<\/script>.+|<!|&|\u2028/);
    const [, json = ''] = />(.*)<\/script>$/.exec(html) ?? [];
    expect(JSON.parse(json)).toEqual(x);
  });

  it('is null for what is not there', () => {
    expect(render("<script type='application/json'>[{{x}},{{no}}]</script>", 1)).toBe(
      "<script type='application/json'>[1,null]</script>",
    );
  });
});

describe('a place where data would not stay data', () => {
  it.each([
    ['<script>{{x}}</script>', 'in <script>'],
    ['<SCRIPT type="module">let a = "{{x}}"</SCRIPT>', 'in <script>'],
    ['<script type="{{t}}">{{x}}</script>', 'in <script>'],
    // Browsers take the first of two, also one without a value.
    ['<script type="text/javascript" type="application/json">{{x}}</script>', 'in <script>'],
    ['<script type="application/json" type="module">{{x}}</script>', 'in <script>'],
    ['<script type="" type="application/json">{{x}}</script>', 'in <script>'],
    ['<script type type="application/json">{{x}}</script>', 'in <script>'],
    ['<script type\n/ id=a type="application/json">{{x}}</script>', 'in <script>'],
    ['<script type="text/javascript" src="/a.js">{{x}}</script>', 'in <script>'],
    ['<style>a { color: {{x}} }</style>', 'in <style>'],
    ['<xmp>{{x}}</xmp>', 'in <xmp>'],
    ['<p onclick="f({{x}})">', 'in the attribute onclick'],
    ["<p ONmouseover='{{x}}'>", 'in the attribute onmouseover'],
    ['<iframe srcdoc="{{x}}"></iframe>', 'in the attribute srcdoc'],
    ['<a href="javascript:f({{x}})">', 'in the attribute href'],
    ['<a href="java\nscript:f({{x}})">', 'in the attribute href'],
    ['<a href={{x}}>', 'in the attribute href'],
    // A browser reads these references first, and takes spaces away: what follows would be the whole address.
    ['<a href="&#32;{{x}}">', 'in the attribute href'],
    ['<a href="&#x6a;ava{{x}}">', 'in the attribute href'],
    ['<a href="&Tab;{{x}}">', 'in the attribute href'],
    ['<a href="javascript&colon;{{x}}">', 'in the attribute href'],
    // Whose script it is must not depend on data.
    ['<script src="{{x}}"></script>', 'in the attribute src'],
    ['<script type="module" src="/{{x}}"></script>', 'in the attribute src'],
    ['<script src="//{{x}}"></script>', 'in the attribute src'],
    ['<script src="https://{{x}}"></script>', 'in the attribute src'],
    ['<script src="https://cdn.example{{x}}"></script>', 'in the attribute src'],
    ['<script src=" /{{x}}/a.js"></script>', 'in the attribute src'],
    ['<script src="/&#47;{{x}}"></script>', 'in the attribute src'],
    ['<script src="a{{x}}"></script>', 'in the attribute src'],
    ['<svg><script xlink:href="{{x}}"></script></svg>', 'in the attribute xlink:href'],
    ['<base href="{{x}}">', 'in the attribute href'],
    ['<svg><a><animate attributeName="href" values="{{x}}"/></a></svg>', 'in the attribute values'],
    ['<svg><a><set attributeName="href" to="{{x}}"/></a></svg>', 'in the attribute to'],
    // No space to a browser: this is the content of an element that nobody knows.
    ['<textarea\u00a0><a onclick="{{x}}"></textarea\u00a0>', 'in the attribute onclick'],
    ['<a title=a{{x}}>', 'in the attribute title'],
    ['<a title= {{x}}>', 'in the attribute title'],
    ['<a {{x}}>', 'in a tag'],
    ['<a {{x}}="1">', 'in a tag'],
    ['<a data-{{x}}="1">', 'in a tag'],
    ['<a title {{x}}>', 'in a tag'],
    ['<a title="a"{{x}}>', 'in a tag'],
    ['<{{x}}>', 'in a tag'],
    ['</{{x}}>', 'in a tag'],
    ['<h{{x}}>', 'in a tag'],
    ['<!-- {{x}} -->', 'in an HTML comment'],
    ['<!doctype {{x}}>', 'in a tag'],
    ['<textarea><{{x}}</textarea>', 'in <textarea>'],
    ['<textarea></{{x}}</textarea>', 'in <textarea>'],
    ['{{#each l}}<b onclick="{{this}}"></b>{{else}}<i></i>{{/each}}', 'in the attribute onclick'],
    ['{{#if a}}{{else}}<script>{{x}}</script>{{/if}}', 'in <script>'],
    ['{{#> p}}<script>{{x}}</script>{{/p}}', 'in <script>'],
    ['{{#*inline "q"}}<script>{{x}}</script>{{/inline}}', 'in <script>'],
  ])('%j', (source, place) => {
    expect(faults(source)).toEqual([`template-place: data stands ${place}`]);
  });

  it.each([
    ['<title>{{> p}}</title>', 'in <title>'],
    ['<a class="{{> p}}">', 'in the attribute class'],
    ['<a {{> p}}>', 'in a tag'],
    ['<script>{{> p}}</script>', 'in <script>'],
  ])('holds no partial: %j', (source, place) => {
    expect(faults(source)).toEqual([`template-place: a partial stands ${place}`]);
  });

  it.each([
    ['<p title="{{x}}', 'in the attribute title'],
    ['<p', 'in a tag'],
    ['<script>let a', 'in <script>'],
    ['<!-- a', 'in an HTML comment'],
    ['<textarea>{{x}}', 'in <textarea>'],
    ['{{#*inline "q"}}<p title="{{/inline}}', 'in the attribute title'],
  ])('is no end of a template: %j', (source, place) => {
    expect(faults(source)).toEqual([`template-markup: it ends ${place}`]);
  });

  it.each([
    ['{{#if a}}<p title="{{else}}<p>{{/if}}', 'without it'],
    ['<p {{#if a}}title="{{/if}}x">', 'without it'],
    ['<p title={{#if a}}"a"{{/if}}>', 'without it'],
    ['{{#if a}}<script>{{/if}}{{x}}', 'without it'],
    ['{{#if a}}<script type="application/json">{{else}}<script>{{/if}}{{x}}</script>', 'without it'],
    ['<script type="{{#if a}}application/json{{else}}module{{/if}}">{{x}}</script>', 'without it'],
    ['<script {{#if a}}type{{/if}} type="application/json">{{x}}</script>', 'without it'],
    ['{{#each l}}<p {{/each}}>', 'it began'],
    ['{{#l}}<!--{{/l}}', 'it began'],
    ['<a href="{{#each l}}{{this}}{{/each}}">', 'it began'],
  ])('is no way on: %j', (source, than) => {
    expect(faults(source)[0]).toMatch(
      new RegExp(`^template-markup: \\{\\{#\\w+\\}\\} ends in another place of the markup than ${than}$`),
    );
  });

  it.each([
    '<p {{#if a}}on{{/if}}click="{{x}}">',
    '<p{{#if a}} on{{/if}}click="{{x}}">',
    '<s{{#if a}}{{/if}}cript>{{x}}</script>',
    '<p {{#if a}}onclick {{/if}}=">{{x}}">',
    '<script {{#if a}}type="application/json"{{/if}}>{{x}}</script>',
    '<script type="{{t}}application/json">{{x}}</script>',
  ])('is not hidden by a condition: %j', (source) => {
    expect(faults(source).length).toBeGreaterThan(0);
  });
});

describe('data in the address of a script', () => {
  it.each([
    '/assets/{{x}}.js',
    '/a.js?v={{x}}',
    './{{x}}.js',
    '../a/{{x}}.js',
    'assets/{{x}}.js',
    'https://cdn.example/{{x}}.js',
    '//cdn.example:8080/{{x}}.js',
    '?v={{x}}',
  ])('is text behind its host and the beginning of its path: %j', (address) => {
    verifies('page.script-address');
    const source = `<script src="${address}"></script>`;
    expect(render(source, '1"')).toBe(source.replace('{{x}}', '1&quot;'));
  });
});

describe('a character reference behind data in an address', () => {
  it('may be that of "&" alone: another could end a scheme', () => {
    expect(faults('<a href="{{x}}&amp;page={{y}}">')).toEqual([]);
    expect(faults('<a href="/a?b={{x}}&copy;{{y}}&#58;">')).toEqual([]);
    for (const source of [
      '<a href="{{x}}&colon;f()">',
      '<a href="{{x}}&#58;f()">',
      '<a href="{{x}}&#x3a;f()">',
    ])
      expect(faults(source)[0]).toMatch(/^template-markup: what this text means depends/);
  });
});

describe('the usual templates', () => {
  it.each([
    '<!doctype html><html lang="en"><head><meta charset=utf-8><title>{{x}}</title></head><body>{{x}}</body></html>',
    '<!-- a --><!----><p>{{x}}</p>',
    '<!--><p>{{x}}</p>',
    '<!---><p>{{x}}</p><!-- a --!>{{x}}',
    '<li class="ticket{{#if a}} urgent{{/if}} {{x}}"{{#if a}} aria-current="true"{{/if}}>{{x}}</li>',
    '<li{{#if a}} class="a"{{/if}}><option value="{{x}}" {{#if a}}selected{{/if}}>{{x}}</option></li>',
    '<option {{#if a}}selected {{/if}}value="{{x}}">',
    '<input value="{{x}}" type="{{#if a}}text{{else}}number{{/if}}" {{#if a}}checked{{/if}}/>',
    '<a href="{{#if a}}/b{{else}}/c{{/if}}/{{x}}" title=\'"{{x}}"\'>1 < 2 && 3 > {{x}}</a>',
    '<a href="{{#if a}}/b{{else}}{{x}}{{/if}}">x</a>',
    '<textarea>{{x}} <b> </textarea >{{x}}<p title="{{x}}">',
    '<script src="/a.js"></script>{{x}}<style>a > b { }</style>{{x}}',
    '<script>if (a < b) "<p"; </scripty></script>{{x}}',
    '{{#each list}}<p>{{this}}</p>{{/each}}{{#x}}<b>{{/x}}',
    '<p title=a/b>{{x}}</p><p title=a>{{x}}',
    '<br/>{{x}}<img src="/a/{{x}}.png" alt="{{x}}" />',
    '<?php ?>{{x}}</ >{{x}}</>{{x}}',
    '<svg viewBox="0 0 {{x}} {{x}}"><path d="{{x}}"/></svg>',
    '{{#with x}}<p id="{{.}}" hidden>{{/with}}',
    '<meta content="{{x}}" name="description"><meta name="a" content="{{#if a}}{{x}}{{else}}b{{/if}}">',
    '<meta {{#if x}}content="{{x}}"{{/if}} name="a"><meta {{#if a}}http-equiv="refresh"{{/if}} content="5">',
    '<meta http-equiv="refresh" content="5;url=/a?b={{x}}"><meta http-equiv="content-language" content="{{x}}">',
    '<source srcset="{{#if a}}/b{{else}}/c{{/if}}/{{x}}?a=1&amp;b={{x}} 2x, /d{{#if a}} 3x{{else}} 4x{{/if}}">',
  ])('are fine: %j', (source) => {
    expect(faults(source)).toEqual([]);
  });
});
