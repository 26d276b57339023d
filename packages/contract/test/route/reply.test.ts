import { describe, expect, it } from 'vitest';
import { Reply, reply } from '../../src/route/reply.ts';
import { verifies } from '../../src/testing/index.ts';

describe('Reply', () => {
  it('takes body, status, headers and content type, in this order', () => {
    verifies('response.positions', 'face.result.reply-class');
    expect(new Reply('<p>', 201, { 'x-a': '1' }, 'text/html')).toEqual({
      body: '<p>',
      status: 201,
      headers: { 'x-a': '1' },
      contentType: 'text/html',
    });
  });

  it('has no body, status 200, no headers and is JSON unless told', () => {
    verifies('response.body.default', 'response.status.default', 'response.headers.default');
    verifies('response.content-type.default');
    expect(new Reply()).toEqual({ status: 200, headers: {}, contentType: 'application/json' });
    expect(new Reply().body).toBeUndefined();
  });

  it('tells null, which is JSON, from no body', () => {
    expect(new Reply(null).body).toBeNull();
    expect(new Reply(undefined, 204).body).toBeUndefined();
  });
});

describe('reply', () => {
  it('makes a JSON reply with a status', () => {
    expect(reply(404, { title: 'gone' }, { 'x-a': '1' })).toEqual(
      new Reply({ title: 'gone' }, 404, { 'x-a': '1' }),
    );
    expect(reply(204, undefined)).toMatchObject({
      status: 204,
      headers: {},
      contentType: 'application/json',
    });
  });
});
