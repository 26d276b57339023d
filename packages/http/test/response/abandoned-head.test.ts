import type { RequestListener } from 'node:http';
import { RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const unfit = (status: number, ...bad: readonly [string, string]): FakeRoute => ({
  method: 'GET',
  path: '/unfit',
  answer: () =>
    new RouteResponse(
      status,
      { kind: 'empty' },
      { 'x-before': '1', 'set-cookie': 'session=theirs', 'x-theirs': 'answer', [bad[0]]: bad[1] },
    ),
});

async function headOf(
  route: FakeRoute,
  front?: (res: Parameters<RequestListener>[1]) => void,
): Promise<string> {
  let listener: RequestListener | undefined;
  const { door, port } = await openDoor([route], {
    ...(front && {
      listener: (req, res) => {
        front(res);
        listener?.(req, res);
      },
    }),
  });
  listener = door.listener();
  const client = await rawClient(port);
  client.send('GET /unfit HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
  return (await client.closed()).split('\r\n\r\n')[0] ?? '';
}

describe('an answer whose head cannot be sent', () => {
  it.each([
    [200, 'x-a', 'a\r\nb'],
    [201, 'x a', 'b'],
    [404, 'x-a', 'a\u0000'],
  ] as const)('is a 500 that says nothing of it: %s with "%s"', async (status, name, value) => {
    verifies('http.problem.unfit-head');
    const head = await headOf(unfit(status, name, value));
    expect(head).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(head).not.toMatch(/x-before|set-cookie|x-theirs/);
  });

  it('leaves what somebody in front has said', async () => {
    verifies('http.problem.unfit-head');
    const head = await headOf(unfit(200, 'x-a', 'a\r\nb'), (res) => {
      res.setHeader('x-front', 'yes');
      res.setHeader('x-theirs', 'front');
      res.setHeader('set-cookie', ['front=1']);
    });
    expect(head).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(head).toContain('x-front: yes');
    expect(head).toContain('x-theirs: front');
    expect(head.match(/set-cookie: .*/g)).toEqual(['set-cookie: front=1']);
    expect(head).not.toContain('x-before');
  });
});
