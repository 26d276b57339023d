import { defineRoute, media } from '@waymark/contract';
import type { ShownProblem } from '@waymark/contract/http';
import { holds, type Principal } from '@waymark/contract/principal';
import { problemPages } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/face/html.ts';
import { tableOf } from '../serve.ts';

const admin: Principal = { id: 'ann', rootId: 'ann', authenticated: true, scopes: ['svc:admin'] };

const problem: ShownProblem = {
  ...{ status: 404, detail: 'nothing', code: undefined, requestId: 'id-1', method: 'GET', target: '/' },
  ...{ matched: false, principal: undefined, clientAddress: '127.0.0.1', headers: {} },
};

const page = (path: string, scopes: readonly string[] = []) =>
  defineRoute('GET', path, { scopes, output: media('text/html') }, () => '');
const table = tableOf([page('/a'), page('/b/{id}'), page('/c', ['pages:read']), page('/d', ['svc:admin'])]);

const pages = problemPages({
  ...{ name: 'desk', version: '1', description: '', prefix: '/_svc', home: '/', signIn: true },
  table: () => table,
  anonymousScopes: ['pages:read'],
  mayReach: ({ principal }) => holds(principal, ['svc:admin']),
});

const links = (text: string): readonly string[] =>
  [...text.matchAll(/<li><a href="([^"]+)"/g)].map(([, to = '']) => to);

describe('the first page of an application without one', () => {
  it('links the pages that whoever asks may open, and the documentation to who may read it', () => {
    expect(links(pages(problem).html)).toEqual(['/a', '/c']);
    expect(links(pages({ ...problem, principal: admin }).html)).toEqual(['/_svc/docs', '/a', '/d']);
  });

  it('is there for "/" alone, where no route is', () => {
    expect(pages({ ...problem, target: '/?a=b' }).status).toBe(200);
    for (const other of [{ target: '/a' }, { matched: true }, { status: 500 }, { target: '//' }])
      expect(pages({ ...problem, ...other }).status).toBeUndefined();
  });
});

describe('the page of a problem', () => {
  it('has words for statuses that nobody has thought of', () => {
    expect(pages({ ...problem, status: 418, target: '/x' }).html).toContain('<h1>I&#39;m a Teapot</h1>');
    expect(pages({ ...problem, status: 599, target: '/x' }).html).toContain('<h1>Unknown</h1>');
  });
});

describe('html', () => {
  it('escapes whatever is no markup of its own', () => {
    const text = `<b a="x" b='y'>&\``;
    expect(
      html`<p title="${text}">${text}${html`<i>${1}</i>`}${undefined}${[html`a`, html`b`]}</p>`.text,
    ).toBe(
      '<p title="&#60;b a=&#34;x&#34; b=&#39;y&#39;&#62;&#38;&#96;">&#60;b a=&#34;x&#34; b=&#39;y&#39;&#62;&#38;&#96;<i>1</i>ab</p>',
    );
  });
});
