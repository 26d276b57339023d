import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { picture } from './hub-pictures.ts';
import { startProgram } from './program.ts';

/** A picture nobody else has. */
function secretPicture(): Buffer {
  const bytes = picture(4_000);
  bytes.set(randomBytes(3_900), 100);
  return bytes;
}

it('leaves no picture in steps, streams, listings, the audit log or log lines: sizes only', async () => {
  verifies('image.no-base64');
  const folder = mkdtempSync(join(tmpdir(), 'no-base64-'));
  const key = 'ann-secret-of-more-than-16-bytes';
  const env = { ANN_KEY: key, DATABASE: join(folder, 'door.db'), LOG_LEVEL: 'debug' };
  const program = startProgram('e2e/test/programs/watched-door.ts', { cwd: folder, env });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true, force: true });
  });
  const [, url = ''] = await program.saying(/^url (\S+)$/m);
  const said: string[] = [];
  const send = async (path: string, body?: object, headers: object = {}) => {
    const response = await fetch(url + path, {
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body && { method: 'POST', body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    said.push(`${path} ${response.status} ${text}`);
    return { status: response.status, text, json: () => JSON.parse(text) };
  };

  const [shown, given] = [secretPicture(), secretPicture()];
  const frame = new Uint8Array(shown);
  expect((await send('/devices/door/frames', frame, { 'content-type': 'image/png' })).status).toBe(202);
  const images = [{ media_type: 'image/png', data: given.toString('base64') }];
  const look = '[[call door_snapshot {}]]';
  const nested = `[[call helper {"input":"${look} [[say Seen.]]"}]]`;

  const answered = await send('/agents/guard', {
    input: `${look} ${nested} [[images]]`,
    images,
    session_id: 's',
  });
  // The model did see them.
  expect(answered.json()).toMatchObject({ status: 'completed', output: expect.stringMatching(/^2 images/) });
  // The size is kept in the place of the picture.
  expect(answered.text).toContain('"bytes":4000');
  await send(
    '/agents/guard',
    { input: `${look} [[say Streamed.]]`, images, stream: true },
    { accept: 'text/event-stream' },
  );
  const waiting = (
    await send('/agents/guard', { input: `${look} [[call open_door {}]] [[images]]`, images })
  ).json();
  await send('/_svc/approvals');
  const [{ approval_id: id }] = waiting.pending_approvals;
  const done = await send(`/_svc/approvals/${id}`, { approve: true, note: '' });
  expect(done.json().output).toMatch(/^2 images/);
  expect((await send('/agents/guard', { input: `${look} [[error 400]]`, images })).status).toBe(502);
  expect((await send('/agents/guard', { input: 7, images })).status).toBe(422);
  const torn = [{ media_type: 'image/png', data: `!${images[0]?.data.slice(1)}` }];
  expect((await send('/agents/guard', { input: 'Look.', images: torn })).status).toBe(422);
  const message = { name: 'guard', arguments: { input: `${look} [[say By MCP.]]`, images } };
  await send('/_svc/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: message });
  const { runs } = (await send('/_svc/runs')).json();
  expect(runs.length).toBeGreaterThanOrEqual(5);
  for (const { run_id: run } of runs) {
    await send(`/_svc/runs/${run}`);
    await send(`/agents/guard/runs/${run}`);
    await send(`/agents/guard/runs/${run}`, undefined, { accept: 'text/event-stream' });
  }
  await expect.poll(async () => (await send('/_svc/audit?limit=200')).text).toContain('run_finished');
  await send('/_svc/usage');
  await send('/_svc/devices');

  const everything = [...said, program.stdout(), program.stderr()];
  expect(program.stdout() + program.stderr()).toContain('/agents/guard');
  for (const bytes of [shown, given]) {
    const base64 = bytes.toString('base64');
    // Wherever it might be cut: pieces from its beginning, its middle and its end.
    for (const piece of [base64.slice(140, 172), base64.slice(2_000, 2_032), base64.slice(-34, -2)])
      for (const text of everything) expect(text.includes(piece), text.slice(0, 80)).toBe(false);
  }
});
