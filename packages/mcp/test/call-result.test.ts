import { audio, HTTPError, image, media, resource, resourceLink, Type } from '@waymark/contract';
import { type Body, jsonResponse, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { maxJsonLevels, maxToolBytes } from '@waymark/contract/tools';
import { describe, expect, it, vi } from 'vitest';
import { following, serve, standingAlone, type ToolAnswer, textContent, tool } from './support.ts';

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pngBase64 = 'iVBORw0KGgo=';
const bytes = new Uint8Array([1, 2, 3]);
const marker = { $image: { media_type: 'image/png', data: pngBase64 } };
const imageContent = { type: 'image', data: pngBase64, mimeType: 'image/png' };

const resultOf = (body: Body, status = 200, output?: object, revision?: string): Promise<ToolAnswer> =>
  serve(
    [tool('ring', output ? { output: { 200: output } } : {})],
    () => new RouteResponse(status, body),
  ).call('ring', {}, revision === undefined ? {} : following(revision));
const ofValue = (value: unknown, output?: object) => resultOf(jsonResponse(value).body, 200, output);
const ofBytes = (bytes: Uint8Array | string, mediaType: string, status = 200) =>
  resultOf(
    { kind: 'bytes', bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes, mediaType },
    status,
  );
const ofChunks = (chunks: readonly Uint8Array[], mediaType: string, status = 200) =>
  resultOf({ kind: 'stream', stream: ReadableStream.from(chunks), mediaType }, status);

describe('the content of a JSON answer', () => {
  it.each([[{ id: 7, tags: ['a'] }], [[1, 'two']], [null], [true], [0]])(
    'is the JSON of %j',
    async (value) => {
      verifies('mcp.result.json-text', 'tool.result.content', 'tool.result.is-error');
      expect(await ofValue(value)).toEqual({ content: [textContent(JSON.stringify(value))], isError: false });
    },
  );

  it.each(['plain', '', 'with "quotes" and \n lines', '{"looks":"like JSON"}', 'says "$image" only'])(
    'is the string %j itself',
    async (value) => {
      verifies('mcp.result.string');
      expect((await ofValue(value)).content).toEqual([textContent(value)]);
    },
  );

  it('is shown character for character, as the dispatcher serialised it', async () => {
    const { content } = await resultOf({ kind: 'json', text: '{"big":12345678901234567890,"e":1.0}' });
    expect(content).toEqual([textContent('{"big":12345678901234567890,"e":1.0}')]);
  });

  it('is null for an empty answer', async () => {
    expect(await resultOf({ kind: 'empty' }, 204)).toEqual({
      content: [textContent('null')],
      isError: false,
    });
  });
});

describe('a deep JSON answer', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

  it.each([
    ['under', maxJsonLevels - 1, true],
    ['at', maxJsonLevels, true],
    ['over', maxJsonLevels + 1, false],
    ['far over', 100_000, false],
  ])('is told %s 256 levels, or has failed', async (_, levels, isTold) => {
    verifies('run.values.deep');
    const text = nested(levels);
    const words = 'tool ring failed with 502: the answer is nested deeper than 256 levels';
    const told = { content: [textContent(isTold ? text : words)], isError: !isTold };
    expect(await resultOf({ kind: 'json', text })).toEqual(told);
    expect(await ofBytes(text, 'application/json')).toEqual(told);
  });

  it('is looked through for markers no deeper', async () => {
    const text = `${'['.repeat(9_000)}${JSON.stringify(marker)}${']'.repeat(9_000)}`;
    expect(await resultOf({ kind: 'json', text })).toMatchObject({ isError: true });
  });
});

describe('markers in a JSON answer', () => {
  const sound = { type: 'audio', data: 'AQID', mimeType: 'audio/wav' };

  it('become items, and the text says where they were', async () => {
    verifies('mcp.result.images');
    const value = {
      ...{ seq: 4, frame: image(png), sound: audio(bytes, 'audio/wav'), more: [image(png), 'x'] },
      ...{ page: resource('test://page', 'Hi'), link: resourceLink('https://example.org/a', 'A') },
    };
    const { content } = await resultOf(jsonResponse(value).body, 200, undefined, '2025-11-25');
    expect(content).toEqual([
      textContent(
        JSON.stringify({
          ...{ seq: 4, frame: '[image 1: image/png]', sound: '[audio 1: audio/wav]' },
          ...{ more: ['[image 2: image/png]', 'x'], page: '[resource 1: test://page]' },
          link: '[link 1: https://example.org/a]',
        }),
      ),
      imageContent,
      sound,
      imageContent,
      { type: 'resource', resource: { uri: 'test://page', mimeType: 'text/plain', text: 'Hi' } },
      { type: 'resource_link', uri: 'https://example.org/a', name: 'A' },
    ]);
  });

  it('need no text when one is all there is', async () => {
    expect((await ofValue(image(png))).content).toEqual([imageContent]);
    expect((await ofValue(audio(bytes, 'audio/wav'))).content).toEqual([sound]);
    expect((await ofValue(resource('test://bytes', bytes, 'application/zip'))).content).toEqual([
      { type: 'resource', resource: { uri: 'test://bytes', mimeType: 'application/zip', blob: 'AQID' } },
    ]);
    expect((await ofValue({ $bytes: { media_type: 'application/zip', data: 'AQID' } })).content).toEqual([
      {
        type: 'resource',
        resource: { uri: 'waymark:tool-result/ring', mimeType: 'application/zip', blob: 'AQID' },
      },
    ]);
  });

  it('in a list are content in the order of the list, each element for itself', async () => {
    const value = ['Look:', image(png), { at: 1 }, 7, [image(png)], resource('test://a', 'A'), 'The end.'];
    expect((await ofValue(value)).content).toEqual([
      textContent('Look:'),
      imageContent,
      textContent('{"at":1}'),
      textContent('7'),
      textContent('["[image 2: image/png]"]'),
      imageContent,
      { type: 'resource', resource: { uri: 'test://a', mimeType: 'text/plain', text: 'A' } },
      textContent('The end.'),
    ]);
  });

  it('that are links say all they know, on revisions that have links', async () => {
    const link = resourceLink('https://example.org/a', 'A', {
      ...{ title: 'The A', description: 'Of all.', mediaType: 'text/html', size: 9 },
    });
    const contentOn = async (revision?: string) =>
      (await resultOf(jsonResponse(link).body, 200, undefined, revision)).content;
    const item = {
      ...{ type: 'resource_link', uri: 'https://example.org/a', name: 'A', title: 'The A' },
      ...{ description: 'Of all.', size: 9, mimeType: 'text/html' },
    };
    expect(await contentOn('2025-06-18')).toEqual([item]);
    expect(await contentOn('2025-11-25')).toEqual([item]);
    // A client without a version header may be of the first revision, which would not read the result.
    expect(await contentOn('2025-03-26')).toEqual([textContent('A: https://example.org/a')]);
    expect(await contentOn()).toEqual([textContent('A: https://example.org/a')]);
  });

  it.each([
    { $image: 'x' },
    { $image: { media_type: 'text/html', data: '' } },
    { $image: { media_type: 'image/png' } },
    { $image: { media_type: 'image/png', data: 'not base64' } },
    { ...marker, caption: 'x' },
    ['$image'],
  ])('are not seen in %j', async (value) => {
    expect((await ofValue(value)).content).toEqual([textContent(JSON.stringify(value))]);
  });

  it('leave a value without any as it was written, though it looks like one', async () => {
    const text = '{"$set":12345678901234567890, "a":1.0}';
    expect((await resultOf({ kind: 'json', text })).content).toEqual([textContent(text)]);
  });
});

describe('structured content', () => {
  const Ticket = Type.Object({ id: Type.Integer() });

  it('is the value where an object is declared', async () => {
    verifies('mcp.result.structured');
    expect(await ofValue({ id: 7 }, Ticket)).toEqual({
      content: [textContent('{"id":7}')],
      structuredContent: { id: 7 },
      isError: false,
    });
  });

  it('is left out where nothing is declared', async () => {
    expect(await ofValue({ id: 7 })).not.toHaveProperty('structuredContent');
    expect(await ofValue({ id: 7 }, media('image/png'))).not.toHaveProperty('structuredContent');
  });

  it.each([[['a', 'b']], ['text'], [null], [3]])('wraps %j, where no object is declared', async (value) => {
    verifies('mcp.result.structured-wrapped');
    const { content, structuredContent } = await ofValue(
      value,
      Type.Union([Type.Array(Type.String()), Type.Any()]),
    );
    expect(structuredContent).toEqual({ result: value });
    expect(content).toEqual([textContent(typeof value === 'string' ? value : JSON.stringify(value))]);
  });

  it('keeps images whole, since programs read it', async () => {
    const { content, structuredContent } = await ofValue({ id: 1, frame: marker }, Ticket);
    expect(structuredContent).toEqual({ id: 1, frame: marker });
    expect(content).toHaveLength(2);
  });

  it('is unknown to 2025-03-26, and left out there', async () => {
    const on = (revision: string) => resultOf(jsonResponse({ id: 7 }).body, 200, Ticket, revision);
    expect(await on('2025-03-26')).toEqual({ content: [textContent('{"id":7}')], isError: false });
    for (const revision of ['2025-06-18', '2025-11-25'])
      expect(await on(revision)).toHaveProperty('structuredContent', { id: 7 });
  });

  it('is left out of a failure', async () => {
    const failed = await resultOf({ kind: 'problem', detail: 'no such ticket' }, 404, Ticket);
    expect(failed).toEqual({
      content: [textContent('tool ring failed with 404: no such ticket')],
      isError: true,
    });
  });

  it('is left out when the answer is not the declared object', async () => {
    expect(await ofValue([1], Ticket)).not.toHaveProperty('structuredContent');
    expect(await resultOf({ kind: 'empty' }, 204, Ticket)).not.toHaveProperty('structuredContent');
  });
});

describe('numbers that JavaScript does not keep', () => {
  const text = '{ "id": 1234567890123456789,\n "share": 0.12345678901234567890, "limit": 1e999, "one": 1.0 }';
  const asCame = '{"id":1234567890123456789,"share":0.12345678901234567890,"limit":1e999,"one":1.0}';
  const body: Body = { kind: 'bytes', bytes: new TextEncoder().encode(text), mediaType: 'application/json' };

  it('stay as they came', async () => {
    verifies('mcp.result.numbers');
    expect(await resultOf(body)).toEqual({ content: [textContent(asCame)], isError: false });
  });

  it('leave a marker beside them in its words', async () => {
    const marked = `{"id":1234567890123456789,"frame":${JSON.stringify(marker)}}`;
    expect((await resultOf({ kind: 'json', text: marked })).content).toEqual([textContent(marked)]);
  });

  it.each(['{"id":1234567890123456789}', '{"limit":1e999}'])(
    'make %s a failure where structured content would say another one',
    async (json) => {
      verifies('mcp.result.numbers');
      const Any = Type.Object({});
      const { content, ...rest } = await resultOf({ kind: 'json', text: json }, 200, Any);
      expect(rest).toEqual({ isError: true });
      expect(JSON.stringify(content)).toMatch(
        /tool ring failed with 502: the call was made, and its answer holds \S+, a number that JavaScript does not keep/,
      );
      // There it does not exist.
      expect(await resultOf({ kind: 'json', text: json }, 200, Any, '2025-03-26')).toEqual({
        content: [textContent(json)],
        isError: false,
      });
    },
  );

  it('may be fractions in structured content, which is as exact as its reader', async () => {
    const json = '{"share":0.12345678901234567890}';
    expect(await resultOf({ kind: 'json', text: json }, 200, Type.Object({}))).toEqual({
      content: [textContent(json)],
      structuredContent: { share: 0.123_456_789_012_345_68 },
      isError: false,
    });
  });
});

describe('the content of bytes', () => {
  it('is an image item for an image', async () => {
    expect((await ofBytes(png, 'image/png')).content).toEqual([imageContent]);
  });

  it('takes no more than the view of a larger buffer', async () => {
    verifies('mcp.result.images');
    const around = new Uint8Array([9, 9, ...png, 9]).subarray(2, 10);
    expect((await ofBytes(around, 'image/png')).content).toEqual([imageContent]);
  });

  it('is a sound for a sound', async () => {
    expect((await ofBytes(bytes, 'audio/wav')).content).toEqual([
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
    ]);
  });

  it('is text for text, without the quotes of JSON', async () => {
    verifies('mcp.result.binary-text');
    expect((await ofBytes('a,b\n"1",2', 'text/csv; charset=utf-8')).content).toEqual([
      textContent('a,b\n"1",2'),
    ]);
  });

  it('is read like any JSON for JSON', async () => {
    expect((await ofBytes('{ "a": 1 }', 'application/json')).content).toEqual([textContent('{"a":1}')]);
    expect((await ofBytes('"a"', 'application/problem+json')).content).toEqual([textContent('a')]);
  });

  it('is plain text for what only claims to be JSON', async () => {
    expect((await ofBytes('{ "a": ', 'application/json')).content).toEqual([textContent('{ "a": ')]);
  });

  it('is an embedded resource for anything else', async () => {
    verifies('mcp.result.binary-resource');
    expect((await ofBytes('%PDF', 'Application/PDF; x=y')).content).toEqual([
      {
        type: 'resource',
        resource: { uri: 'waymark:tool-result/ring', mimeType: 'application/pdf', blob: 'JVBERg==' },
      },
    ]);
  });

  it.each([-1, 0])('may have as many bytes as the limit %i', async (more) => {
    expect((await ofBytes(new Uint8Array(maxToolBytes + more), 'application/zip')).isError).toBe(false);
  });

  it('fails beyond the limit', async () => {
    expect(await ofBytes(new Uint8Array(maxToolBytes + 1), 'application/zip')).toEqual({
      content: [textContent('tool ring failed with 502: the answer is larger than 8388608 bytes')],
      isError: true,
    });
  });
});

describe('the content of a stream', () => {
  it('is that of all its bytes', async () => {
    expect((await ofChunks([png.subarray(0, 1), png.subarray(1)], 'image/png')).content).toEqual([
      imageContent,
    ]);
  });

  it.each([-1, 0])('may have as many bytes as the limit %i', async (more) => {
    const half = maxToolBytes / 2;
    const answer = await ofChunks([new Uint8Array(half), new Uint8Array(half + more)], 'application/zip');
    expect(answer.isError).toBe(false);
  });

  it('fails beyond the limit', async () => {
    const half = maxToolBytes / 2;
    expect(await ofChunks([new Uint8Array(half), new Uint8Array(half + 1)], 'application/zip')).toEqual({
      content: [textContent('tool ring failed with 502: the answer is larger than 8388608 bytes')],
      isError: true,
    });
  });

  it('stops reading beyond the limit', async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)),
      cancel: () => {
        cancelled = true;
      },
    });
    expect((await resultOf({ kind: 'stream', stream: endless, mediaType: 'application/zip' })).isError).toBe(
      true,
    );
    expect(cancelled).toBe(true);
  });

  it('ends when the caller is gone, where that cancels, however slow the stream is', async () => {
    const stream = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const controller = new AbortController();
    const { message, headers } = standingAlone('tools/call', { name: 'ring' });
    const pending = serve(
      [tool('ring')],
      () => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' }),
    ).send(message, { headers, signal: controller.signal });
    controller.abort();
    expect((await pending).body.result?.['content']).toEqual([
      textContent('tool ring failed with 503: the call was cancelled'),
    ]);
  });

  it('may pause for 30 seconds and no longer, in the words of a timeout', async () => {
    vi.useFakeTimers();
    try {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
      });
      let content: unknown;
      const pending = resultOf({ kind: 'stream', stream, mediaType: 'text/plain' }).then((answer) => {
        content = answer.content;
      });
      await vi.advanceTimersByTimeAsync(29_999);
      expect(content).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      await pending;
      expect(content).toEqual([
        textContent('tool ring failed with 504: the answer paused for more than 30 seconds'),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('may take long as a whole, when it does not pause', async () => {
    vi.useFakeTimers();
    try {
      const wait = () => new Promise((resolve) => setTimeout(resolve, 20_000));
      const stream = ReadableStream.from(
        (async function* () {
          for (const part of ['a', 'b', 'c']) {
            await wait();
            yield new TextEncoder().encode(part);
          }
        })(),
      );
      const pending = resultOf({ kind: 'stream', stream, mediaType: 'text/plain' });
      await vi.advanceTimersByTimeAsync(60_000);
      expect((await pending).content).toEqual([textContent('abc')]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('that breaks off is a failure that shows no cause', async () => {
    const broken = (error: unknown) =>
      resultOf({
        kind: 'stream',
        mediaType: 'text/plain',
        stream: new ReadableStream({ pull: (controller) => controller.error(error) }),
      });
    expect((await broken(new Error('hunter2'))).content).toEqual([
      textContent('tool ring failed with 500: internal error'),
    ]);
    expect((await broken(new HTTPError(502, 'the upstream is gone'))).content).toEqual([
      textContent('tool ring failed with 502: the upstream is gone'),
    ]);
  });
});

describe('an error answer with a body of the handler', () => {
  it.each([
    ['a JSON object', { kind: 'json', text: '{"title":"no such ticket"}' }, '{"title":"no such ticket"}'],
    ['a JSON string', { kind: 'json', text: '"no such ticket"' }, 'no such ticket'],
    ['text', { kind: 'bytes', bytes: new TextEncoder().encode('gone'), mediaType: 'text/plain' }, 'gone'],
    ['an image', { kind: 'bytes', bytes: png, mediaType: 'image/png' }, 'Not Found'],
    ['nothing', { kind: 'empty' }, 'Not Found'],
  ] as const)('fails with its words: %s', async (_case, body, words) => {
    expect(await resultOf(body, 404)).toEqual({
      content: [textContent(`tool ring failed with 404: ${words}`)],
      isError: true,
    });
  });

  it('may be a stream', async () => {
    const { content } = await ofChunks([new TextEncoder().encode('gone')], 'text/plain', 404);
    expect(content).toEqual([textContent('tool ring failed with 404: gone')]);
  });
});

describe('the result of a call whose run has not ended', () => {
  const located = (status: number, headers = { location: '/agents/desk/runs/01RUN' }): Promise<ToolAnswer> =>
    serve([tool('ring')], () =>
      status === 503
        ? problemResponse(status, 'the run goes on', {}, headers)
        : jsonResponse({ status: 'awaiting_approval' }, status, headers),
    ).call('ring');
  const place = textContent('the answer will be at /agents/desk/runs/01RUN');
  const waits = textContent('{"status":"awaiting_approval"}');

  it('says behind its content where its answer will be', async () => {
    verifies('run.location');
    expect(await located(202)).toEqual({ content: [waits, place], isError: false });
    const failure = textContent('tool ring failed with 503: the run goes on');
    expect(await located(503)).toEqual({ content: [failure, place], isError: true });
  });

  it('alone does: other places are other things', async () => {
    expect(await located(201)).toEqual({ content: [waits], isError: false });
  });
});
