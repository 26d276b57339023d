import { jsonResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

/** A route that answers when the test says so. */
function gated(path: string): { readonly route: FakeRoute; begun: Promise<void>; release(): void } {
  const begun = deferred<void>();
  const released = deferred<void>();
  const answer = async (): Promise<ReturnType<typeof jsonResponse>> => {
    begun.resolve();
    await released.promise;
    return jsonResponse(path);
  };
  return { route: { method: 'GET', path, answer }, begun: begun.promise, release: released.resolve };
}

describe('requests that were sent ahead, when the server drains', () => {
  it('are all answered, whichever is ready first, and the last answer alone announces the end', async () => {
    verifies('http.shutdown.in-flight');
    const [one, two] = [gated('/one'), gated('/two')];
    const { port, close } = await openDoor([one.route, two.route]);
    const client = await rawClient(port);
    client.send(get('/one') + get('/two'));
    await Promise.all([one.begun, two.begun]);
    const closing = close();
    two.release();
    one.release();
    const [, first, second, ...others] = (await client.closed()).split('HTTP/1.1 ');
    await closing;
    expect(first).toMatch(/^200 [\s\S]*"\/one"$/);
    expect(first).not.toMatch(/connection: close/i);
    expect(second).toMatch(/^200 [\s\S]*connection: close[\s\S]*"\/two"$/i);
    expect(others).toEqual([]);
  });

  it('are not begun behind the last answer', async () => {
    const [one, two] = [gated('/one'), gated('/two')];
    const { port, close, door, dispatcher } = await openDoor([one.route, two.route]);
    const client = await rawClient(port);
    client.send(get('/one'));
    await one.begun;
    const closing = close();
    // This one is turned away, so it is the last; its answer waits for the first.
    client.send(get('/two') + get('/two'));
    const health = await rawClient(port);
    health.send(get('/elsewhere'));
    await health.until(/503/);
    one.release();
    const answers = (await client.closed()).split('HTTP/1.1 ').slice(1);
    await closing;
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '503']);
    expect(dispatcher.calls).toHaveLength(1);
    await door.whenIdle();
  });
});
