import { describe, expect, it } from 'vitest';
import { openAgentSocket, socketDesk } from './agent-socket.ts';
import { bearerOf } from './agents-token.ts';

describe('the socket of an agent', () => {
  it('ends with its token, and the run does not', async () => {
    const { url, send } = await socketDesk();
    // It lives by the 30 seconds that clocks may be apart, as at any other door.
    const headers = { authorization: bearerOf('dan', 'read write', 1 - 30) };
    const socket = await openAgentSocket(url, '/agents/clerk', headers);
    socket.send({ input: '[[latency 4000]] [[say Late.]]' });
    const { run_id: runId } = await socket.until('run');
    expect(await socket.closed).toMatchObject({ code: 4401 });
    await expect
      .poll(async () => Object((await send(`/_svc/runs/${runId}`)).value).status, { timeout: 15_000 })
      .toBe('completed');
  });
});
