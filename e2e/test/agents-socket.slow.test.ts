import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openAgentSocket, socketDesk } from './agent-socket.ts';
import { tokenSecret } from './agents-application.ts';

describe('the socket of an agent', () => {
  it('ends with its token, and the run does not', async () => {
    const { url, send } = await socketDesk();
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const exp = Math.ceil(Date.now() / 1000) + 1;
    const head = `${encode({ alg: 'HS256' })}.${encode({ sub: 'dan', exp, scope: 'read write' })}`;
    const token = `${head}.${createHmac('sha256', tokenSecret).update(head).digest('base64url')}`;
    const headers = { authorization: `Bearer ${token}` };
    const socket = await openAgentSocket(url, '/agents/clerk', headers);
    socket.send({ input: '[[latency 4000]] [[say Late.]]' });
    const { run_id: runId } = await socket.until('run');
    expect(await socket.closed).toMatchObject({ code: 4401 });
    await expect
      .poll(async () => Object((await send(`/_svc/runs/${runId}`)).value).status, { timeout: 15_000 })
      .toBe('completed');
  });
});
