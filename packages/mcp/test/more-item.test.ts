import { Type } from '@waymark/contract';
import { jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { following, serve, textContent, tool } from './support.ts';

/** The items that a list with this header comes as, for a call with these arguments. */
async function itemsOf(link: string | undefined, values: object = {}, response?: RouteResponse) {
  const answer = response ?? jsonResponse([1], 200, link === undefined ? {} : { link });
  return (await serve([tool('list_tickets')], () => answer).call('list_tickets', values)).content;
}

const more = (text: string) => [textContent('[1]'), textContent(text)];

describe('a list that goes on', () => {
  it('says in another text item which arguments lead there', async () => {
    expect(await itemsOf('</tickets?limit=50&offset=50>; rel="next"')).toEqual(
      more('There is more: call list_tickets again with limit=50, offset=50.'),
    );
  });

  it('leaves out what the caller gave the same way', async () => {
    const link = '</tickets?title=a+b%26c&urgent=true&limit=2&offset=4>; rel="next"';
    expect(await itemsOf(link, { title: 'a b&c', urgent: true, limit: 2, offset: 2 })).toEqual(
      more('There is more: call list_tickets again with offset=4.'),
    );
  });

  it('names no arguments where its address has none that can be read', async () => {
    for (const link of ['</more>; rel="next"', '<http://[>; rel="next"'])
      expect(await itemsOf(link)).toEqual(more('There is more: call list_tickets again.'));
  });

  it('is known by its next link among others', async () => {
    const link = '</a?page=1>; rel="prev", </a?page=3>; title="x"; rel=next, </a?page=9>; rel="last"';
    expect(await itemsOf(link)).toEqual(more('There is more: call list_tickets again with page=3.'));
  });

  it.each([undefined, '', '</a?page=1>; rel="prev"', '</a>; rel="nextish"', 'rel="next"', '</next>'])(
    'is not one with the header %j',
    async (link) => {
      expect(await itemsOf(link)).toEqual([textContent('[1]')]);
    },
  );

  it('says so after the items of the list, and leaves what programs read as it was', async () => {
    const image = { $image: { media_type: 'image/png', data: 'AQID' } };
    const link = { link: '</a?page=2>; rel="next"' };
    const served = serve([tool('list', { output: { 200: Type.Array(Type.Unknown()) } })], () =>
      jsonResponse(['x', image], 200, link),
    );
    expect(await served.call('list', {}, following('2025-11-25'))).toEqual({
      content: [
        textContent('x'),
        { type: 'image', data: 'AQID', mimeType: 'image/png' },
        textContent('There is more: call list again with page=2.'),
      ],
      structuredContent: { result: ['x', image] },
      isError: false,
    });
  });

  it('says nothing of it where the tool failed', async () => {
    const failed = jsonResponse('no', 409, { link: '</a?page=2>; rel="next"' });
    expect(await itemsOf(undefined, {}, failed)).toEqual([
      textContent('tool list_tickets failed with 409: no'),
    ]);
  });
});
