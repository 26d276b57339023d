import type { SessionHolder, Sessions } from '@waymark/contract/principal';
import { describe, expect, it } from 'vitest';
import { ask, askForSocket } from '../ask.ts';
import { keys, openDoor } from '../open-door.ts';

const ann: SessionHolder = {
  id: 'one',
  principal: { id: 'ann', rootId: 'ann', authenticated: true, scopes: [] },
};

/** Sessions of which one is good: whose cookie holds `good`. */
function sessionsOf(): Sessions & { end(value: string): undefined } {
  const listeners: ((id: string) => void)[] = [];
  return {
    cookieName: (https) => (https ? '__Host-s' : 's'),
    open: () => {
      throw new Error('not asked');
    },
    read: (value) => (value === 'good' ? ann : undefined),
    end: (id) => {
      for (const tell of listeners) tell(id);
      return undefined;
    },
    restore: () => {},
    onEnded: (listener) => void listeners.push(listener),
    setCookie: () => 's=; Max-Age=0',
  };
}

const authenticate = (sessions = sessionsOf()) =>
  Object.assign((...[credentials]: Parameters<typeof keys>) => keys(credentials), { sessions });

describe('the session of a door', () => {
  it('is looked at after the guards and the match, where no credential is shown', async () => {
    const open = await openDoor(
      [
        { method: 'GET', path: '/a' },
        { method: 'POST', path: '/a' },
      ],
      {
        authenticate: authenticate(),
      },
    );
    const cookie = 's=good';
    await ask(open, '/a', { cookie });
    await ask(open, '/a', { cookie, 'x-api-key': 'good' });
    await ask(open, 'POST /a', { cookie });
    await ask(open, 'POST /a', {
      cookie,
      origin: `http://localhost:${open.port}`,
      host: `localhost:${open.port}`,
    });
    expect(open.dispatcher.calls.map(({ principal }) => principal.id)).toEqual([
      'ann',
      'alice',
      'anonymous',
      'ann',
    ]);
    const wrong = await ask(open, '/a', { cookie, 'x-api-key': 'bad' });
    const foreign = await ask(open, 'POST /a', { cookie, origin: 'https://evil.example' });
    const nowhere = await ask(open, '/b', { cookie: 's=bad' });
    expect([wrong.status, foreign.status, nowhere.status]).toEqual([401, 403, 404]);
    // Those that were sent away before it was looked at take nothing back.
    expect([wrong, foreign, nowhere].map(({ headers }) => headers['set-cookie'])).toEqual([
      undefined,
      undefined,
      ['s=; Max-Age=0'],
    ]);
  });

  it('is nothing to a door whose authenticate has none', async () => {
    const open = await openDoor([{ method: 'GET', path: '/a' }]);
    const { headers } = await ask(open, '/a', { cookie: 's=good' });
    const [call] = open.dispatcher.calls;
    expect([call?.principal.id, headers['set-cookie']]).toEqual(['anonymous', undefined]);
    expect(call?.input.by === 'request' && call.input.headers['cookie']).toBe('s=good');
  });

  it('is told to routes that open sessions and to no other', async () => {
    const open = await openDoor([{ method: 'GET', path: '/a' }], { authenticate: authenticate() });
    await ask(open, '/a', { cookie: 's=good; t=1' });
    const [call] = open.dispatcher.calls;
    expect(call?.browser).toBeUndefined();
    expect(call?.input.by === 'request' && call.input.headers['cookie']).toBe('t=1');
  });

  it('takes back what is worth nothing with the refusal of a socket, too', async () => {
    const open = await openDoor([{ method: 'GET', path: '/s', accept: () => {} }], {
      authenticate: authenticate(),
    });
    const told = await askForSocket(open, '/none', { cookie: 's=bad', 'sec-fetch-site': 'same-origin' });
    expect([told.status, told.headers['set-cookie']]).toEqual([404, ['s=; Max-Age=0']]);
    const taken = await askForSocket(open, '/s', { cookie: 's=good', 'sec-fetch-site': 'same-origin' });
    expect([taken.status, open.dispatcher.calls.at(-1)?.principal.id]).toEqual([101, 'ann']);
  });

  it('ends a stream without an end', async () => {
    const sessions = sessionsOf();
    const open = await openDoor(
      [
        {
          method: 'GET',
          path: '/events',
          answer: () => ({
            ...{ status: 200, headers: {} },
            body: {
              kind: 'stream',
              mediaType: 'text/event-stream',
              stream: new ReadableStream({
                start: (controller) => controller.enqueue(Buffer.from(': hi\n\n')),
              }),
            },
          }),
        },
      ],
      { authenticate: authenticate(sessions) },
    );
    const response = await fetch(`${open.url}/events`, { headers: { cookie: 's=good' } });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(': hi\n\n');
    sessions.end('one');
    await expect(reader?.read()).rejects.toThrow();
  });
});
