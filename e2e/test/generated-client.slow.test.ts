import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, ProblemError, type Progress } from '@waymark/client';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from './program.ts';

const env = {
  OPERATOR_KEY: 'operator-key-of-the-tests',
  DEVICE_KEY: 'device-key-of-the-tests',
  READER_KEY: 'reader-key-of-the-tests',
};

describe('the client of the reference application', () => {
  const folder = mkdtempSync(join(tmpdir(), 'generated-client-'));
  let program: Program;
  let baseUrl: string;
  beforeAll(async () => {
    program = startProgram('apps/server/example/main.ts', {
      cwd: folder,
      env: { ...env, PORT: '0', LOG_LEVEL: 'error' },
    });
    [, baseUrl = ''] = await program.saying(/url +(http:\S+)/);
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });

  it('calls the running application with one typed argument and gets a typed result', async () => {
    verifies('client.typed', 'client.method-per-operation');
    const desk = createClient({ baseUrl, apiKey: env.OPERATOR_KEY });
    const opened = await desk.createTickets({ title: 'The kettle leaks', urgent: true });
    expect(await desk.getTickets({ id: opened.id })).toEqual(opened);
    expect((await desk.listTickets({ status: 'open', limit: 200 })).map(({ id }) => id)).toContain(opened.id);
    expect((await desk.closeTicket({ id: opened.id })).status).toBe('closed');
    expect((await desk.control.health()).app).toBe('support-desk');
  });

  it('tells what happens on the way to a result', async () => {
    verifies('client.typed', 'client.progress');
    const desk = createClient({ baseUrl, apiKey: env.OPERATOR_KEY });
    const { open } = await desk.digestTickets();
    const heard: Progress[] = [];
    const digest = await desk.digestTickets({}, { onProgress: (progress) => void heard.push(progress) });
    expect(digest.lines).toHaveLength(open);
    expect(heard.map(({ event, data }) => [event, data])).toEqual(
      digest.lines.map((_, i) => [
        'progress',
        { done: i + 1, total: open, message: expect.any(String) as string },
      ]),
    );
  });

  it('throws what the application refuses', async () => {
    verifies('client.problem-error');
    const reader = createClient({ baseUrl, apiKey: env.READER_KEY });
    const refused = await reader.createTickets({ title: 'x' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProblemError);
    expect(refused).toMatchObject({ status: 403, requestId: expect.any(String) as string });
    await expect(reader.getTickets({ id: 987_654 })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('tickets has no row') as string,
    });
    await expect(reader.listTickets({ limit: 0 })).rejects.toMatchObject({
      status: 422,
      errors: [{ path: '/limit' }],
    });
  });
});
