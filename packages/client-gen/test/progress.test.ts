import { media, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { makeProject, type Project } from './generated.ts';
import { richTable, route } from './rich-table.ts';
import { type Answer, type ScriptedServer, startServer } from './server.ts';

type Call = (input?: unknown, options?: unknown) => Promise<unknown>;
interface Generated {
  createClient(options: Readonly<Record<string, unknown>>): Readonly<Record<string, Call>>;
}

let project: Project;
let generated: Generated;
let server: ScriptedServer;

beforeAll(async () => {
  server = await startServer();
  project = await makeProject(toClient(richTable(), { title: 'Rich' }));
  generated = (await project.load('client.ts')) as Generated;
});
afterAll(async () => {
  await server.close();
  await project.remove();
});

const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'r1' };
const step = 'event: progress\ndata: {"done":1}\n\n';
const result = 'event: result\ndata: {"status":200,"body":{"done":2}}\n\n';

/** Imports with somebody who listens. */
async function listen(answer: Answer, options: object = {}) {
  server.answer(answer);
  const heard: unknown[] = [];
  const client = generated.createClient({ baseUrl: server.url });
  const onProgress = (progress: unknown): void => void heard.push(progress);
  const call = client['replaceImport'] as Call;
  const settled = await call({ rows: [] }, { onProgress, ...options }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return { heard, ...settled };
}

describe('a method with onProgress', () => {
  it('asks for events, tells what happens and gives the result', async () => {
    verifies('client.progress');
    const body = `:\n\n${step}:\n\nid: 7\nevent: row\ndata: {\ndata: "a": 1}\n\n${result}`;
    expect(await listen({ headers, body })).toEqual({
      heard: [
        { event: 'progress', data: { done: 1 }, id: undefined },
        { event: 'row', data: { a: 1 }, id: '7' },
      ],
      value: { done: 2 },
    });
    expect(server.seen[0]?.headers['accept']).toBe('text/event-stream');
  });

  it('gives nothing for an answer without content', async () => {
    const body = 'event: result\ndata: {"status":204}\n\n';
    expect(await listen({ headers, body })).toEqual({ heard: [], value: undefined });
  });

  it('gives the result of a service that answers at once', async () => {
    const json = { 'content-type': 'application/json' };
    expect(await listen({ headers: json, body: '{"done":3}' })).toEqual({ heard: [], value: { done: 3 } });
  });

  it('asks for JSON when nobody listens', async () => {
    const json = { 'content-type': 'application/json' };
    await listen({ headers: json, body: '{"done":3}' }, { onProgress: undefined });
    expect(server.seen[0]?.headers['accept']).toBe('application/json');
  });

  it('reads characters and events that come in pieces', async () => {
    const bytes = Buffer.from(`event: progress\ndata: "grüß 😀"\n\n${result}`);
    const fetch = async (): Promise<Response> => {
      const pieces = ReadableStream.from([...bytes].map((byte) => new Uint8Array([byte])));
      return new Response(pieces, { headers });
    };
    const heard: unknown[] = [];
    const client = generated.createClient({ baseUrl: server.url, fetch });
    const onProgress = ({ data }: { data: unknown }): void => void heard.push(data);
    expect(await client['replaceImport']?.({ rows: [] }, { onProgress })).toEqual({ done: 2 });
    expect(heard).toEqual(['grüß 😀']);
  });

  it('has a limit for each event, however many there are and in whatever pieces they come', async () => {
    verifies('client.memory');
    const long = `data: "${'x'.repeat(100)}"\n`;
    const bytes = Buffer.from(`:${'-'.repeat(100)}\n\n${`${long}\n`.repeat(20)}${result}`);
    for (const size of [1, 7, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const fetch = async (): Promise<Response> => new Response(ReadableStream.from(pieces), { headers });
      let heard = 0;
      const client = generated.createClient({ baseUrl: server.url, fetch });
      const ask = (maxResponseBytes: number) =>
        client['replaceImport']?.({ rows: [] }, { onProgress: () => heard++, maxResponseBytes });
      expect(await ask(long.length + 1)).toEqual({ done: 2 });
      expect(await ask(long.length)).toEqual({ done: 2 });
      expect(heard).toBe(40);
      await expect(ask(long.length - 1)).rejects.toThrow(
        new RangeError(`an event is longer than ${long.length - 1} bytes (maxResponseBytes)`),
      );
    }
  });

  // Gone through again with each of 65,536 pieces, it would take minutes.
  it('reads each byte of an event once, and lets go of one without an end', async () => {
    verifies('client.memory');
    const piece = new Uint8Array(64).fill(45);
    let given = 0;
    let isLetGo = false;
    const body = new ReadableStream({
      pull: (controller) => {
        given++;
        controller.enqueue(piece);
      },
      cancel: () => {
        isLetGo = true;
      },
    });
    const client = generated.createClient({
      ...{ baseUrl: server.url, maxResponseBytes: 4 * 1024 * 1024 },
      fetch: async () => new Response(body, { headers }),
    });
    await expect(client['replaceImport']?.({ rows: [] }, { onProgress: () => {} })).rejects.toThrow(
      new RangeError('an event is longer than 4194304 bytes (maxResponseBytes)'),
    );
    expect(isLetGo).toBe(true);
    expect(given).toBeLessThanOrEqual(65_538);
  });

  it.each([
    [
      'an error event',
      `${step}event: error\ndata: {"title":"Gateway Timeout","status":504,"detail":"timed out","code":"timeout","request_id":"r2"}\n\n`,
      { status: 504, title: 'Gateway Timeout', detail: 'timed out', code: 'timeout', requestId: 'r2' },
    ],
    [
      'a result that is an error of the route',
      `${step}event: result\ndata: {"status":404,"body":{"title":"no such list"}}\n\n`,
      { status: 404, title: 'no such list', requestId: 'r1', body: { title: 'no such list' } },
    ],
    [
      'events without an end',
      step,
      { status: 200, detail: 'the events ended without a result', requestId: 'r1' },
    ],
    [
      'an end that is cut off',
      `${step}event: result\ndata: {"status":200}\n`,
      { status: 200, detail: 'the events ended without a result' },
    ],
    [
      'data that is no JSON',
      `${step}event: result\ndata: {"status":\n\n`,
      { status: 200, detail: 'the data of an event is not JSON: it is broken off or malformed' },
    ],
  ])('throws a ProblemError for %s', async (_, body, expected) => {
    verifies('client.problem-error');
    const { heard, ...settled } = await listen({ headers, body });
    expect(heard).toHaveLength(1);
    expect(settled).toMatchObject({ error: { name: 'ProblemError', ...expected } });
  });

  it('throws a ProblemError for a refusal before the first event', async () => {
    const problem = { 'content-type': 'application/problem+json' };
    const body = '{"title":"Forbidden","status":403,"detail":"no"}';
    expect(await listen({ status: 403, headers: problem, body })).toMatchObject({
      error: { name: 'ProblemError', status: 403, detail: 'no' },
    });
  });

  it('ends with what the listener throws', async () => {
    const onProgress = (): never => {
      throw new Error('enough');
    };
    expect(await listen({ headers, body: step + result }, { onProgress })).toMatchObject({
      error: { message: 'enough' },
    });
  });

  it('is what routes have that report progress, unless they answer bytes', () => {
    const of = (options: object): string => toClient([route('POST', '/a', options)], { title: 'x' });
    const output = Type.Object({ a: Type.String() });
    for (const options of [{}, { output }, { output: { 204: {} } }]) {
      expect(of({ ...options, progress: true })).toMatch(
        /createA\(input\?: NoInput, options\?: ProgressOptions\)/,
      );
      expect(of({ ...options, progress: true })).toContain('      progress: true,\n');
      expect(of(options)).toMatch(/createA\(input\?: NoInput, options\?: CallOptions\)/);
      expect(of(options)).not.toContain('progress: true,\n');
    }
    expect(of({ output: media('image/png'), progress: true })).not.toContain('progress: true,\n');
  });
});
