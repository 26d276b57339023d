import type { Message, ModelRequest } from '@waymark/contract/models';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { provider } from '../src/index.ts';
import { callsOf, type Desk, formats, openDesk, png, result, textOf, tools, user } from './desk.ts';

type WireMessage = { readonly role: string; readonly content: unknown } & Readonly<Record<string, unknown>>;

function bodyOf({
  simulator,
}: Desk): { readonly messages: readonly WireMessage[] } & Readonly<Record<string, unknown>> {
  return simulator.requests.at(-1)?.body as ReturnType<typeof bodyOf>;
}

/** Asks, answers every call, and asks again. @returns what the desk was asked last */
async function roundTrip(desk: Desk, request: Partial<ModelRequest>, text: string) {
  const first = await desk.ask({ ...request, tools, text });
  const answers = callsOf(first).map(({ id }) => result(id, 'done'));
  const second = await desk.ask({
    ...request,
    tools,
    messages: [user(text), first.message, { role: 'user', parts: answers }],
  });
  return { first, second, assistant: bodyOf(desk).messages.find(({ role }) => role === 'assistant') };
}

describe.each([1000, 16000])('what a model says, with %d tokens, goes back to it as it came', (maxTokens) => {
  it('anthropic: thoughts with their signatures, and blocks that nobody knows', async () => {
    verifies('model.format.opaque');
    const desk = await openDesk();
    const block = {
      type: 'server_tool_use',
      id: 's1',
      name: 'web_search',
      input: { query: 'x', deep: [1, null] },
    };
    const { first, assistant } = await roundTrip(
      desk,
      { maxTokens },
      `[[thinking hm, é😀]] & [[block ${JSON.stringify(block)}]] & [[say Look:]] & [[call get_ticket {"id": 1}]] [[say done]]`,
    );
    expect(first.message.parts.map(({ type }) => type)).toEqual(['opaque', 'opaque', 'text', 'tool_call']);
    expect(assistant?.content).toMatchObject([
      { type: 'thinking', thinking: 'hm, é😀', signature: expect.stringMatching(/./) },
      block,
      { type: 'text', text: 'Look:' },
      { type: 'tool_use', name: 'get_ticket', input: { id: 1 } },
    ]);
  });

  it('openai: members of the message that nobody knows', async () => {
    verifies('model.format.opaque');
    const desk = await openDesk();
    const { assistant } = await roundTrip(
      desk,
      { maxTokens, model: 'openai/m' },
      '[[thinking hm]] & [[block {"reasoning_details": [{"sig": "é"}]}]] & [[call get_ticket {"id": 1}]] [[say done]]',
    );
    expect(assistant).toMatchObject({
      reasoning_content: 'hm',
      reasoning_details: [{ sig: 'é' }],
      content: null,
    });
    expect(Object.keys(assistant ?? {})).not.toContain('annotations');
  });

  it('and not to another provider', async () => {
    const desk = await openDesk();
    const first = await desk.ask({ maxTokens, text: '[[thinking hm]] & [[say ok]]' });
    await desk.ask({ model: 'openai/m', messages: [user('a'), first.message, user('b')] });
    expect(bodyOf(desk).messages[1]).toEqual({ role: 'assistant', content: 'ok' });
  });
});

describe('images', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'get_ticket', arguments: { id: 1 } } as const;
  const messages: readonly Message[] = [
    user('[[say x]] [[images]]', png),
    { role: 'assistant', parts: [call, { ...call, id: 'c2' }] },
    { role: 'user', parts: [result('c1', png), result('c2', 'no picture')] },
    user('what is on it?'),
  ];

  it.each(formats)('%s: those of the user and of results reach the model', async (format) => {
    const desk = await openDesk();
    const reply = await desk.ask({ model: `${format}/m`, tools, messages });
    expect(textOf(reply)).toMatch(/^2 images: image\/png 70 bytes/);
  });

  it('of results stand in the results for anthropic, which come first', async () => {
    const desk = await openDesk();
    await desk.ask({
      tools,
      messages: [...messages.slice(0, 2), user('what is on it?'), ...messages.slice(2, 3)],
    });
    expect(bodyOf(desk).messages[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'image' }] },
      { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text' }] },
      { type: 'text', text: 'what is on it?' },
    ]);
  });

  it('of results move to a message of the user for openai, after all results', async () => {
    verifies('model.format.images');
    const desk = await openDesk();
    await desk.ask({ model: 'openai/m', tools, messages });
    expect(bodyOf(desk).messages.slice(2)).toMatchObject([
      { role: 'tool', tool_call_id: 'c1', content: 'See the image below.' },
      { role: 'tool', tool_call_id: 'c2', content: 'no picture' },
      {
        role: 'user',
        content: [
          { type: 'text' },
          { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
          { type: 'text', text: 'what is on it?' },
        ],
      },
    ]);
  });
});

describe('a conversation', () => {
  it.each(formats)(
    '%s: may have several messages of one side, empty ones, and broken calls',
    async (format) => {
      const desk = await openDesk();
      const call = { type: 'tool_call', id: 'c1', name: 'get_ticket', arguments: 'not json' } as const;
      const reply = await desk.ask({
        model: `${format}/m`,
        tools,
        messages: [
          { role: 'system', parts: [{ type: 'text', text: 'One.' }] },
          { role: 'system', parts: [{ type: 'text', text: 'Two.' }] },
          user('[[say x]] [[echo all]]'),
          user(''),
          { role: 'assistant', parts: [] },
          { role: 'assistant', parts: [{ type: 'text', text: '' }, call] },
          user({ type: 'tool_result', id: 'c1', parts: [], isError: true }),
          { role: 'system', parts: [{ type: 'text', text: 'By the way.' }] },
        ],
      });
      expect(JSON.parse(textOf(reply))).toMatchObject({
        system: expect.stringMatching(/^One\.\s+Two\.$/),
        messages: [
          { role: 'user' },
          { role: 'assistant', calls: [{ id: 'c1' }] },
          { role: 'tool', results: [{ id: 'c1', text: '', isError: format === 'anthropic' }] },
          { role: 'user', text: 'By the way.' },
        ],
      });
    },
  );

  it.each(formats)('%s: holds no text of nothing but space, which is refused', async (format) => {
    const desk = await openDesk();
    const call = { type: 'tool_call', id: 'c1', name: 'get_ticket', arguments: [1, { a: 2 }] } as const;
    await desk.ask({
      model: `${format}/m`,
      messages: [
        { role: 'system', parts: [{ type: 'text', text: ' ' }] },
        user('[[say x]]'),
        { role: 'assistant', parts: [{ type: 'text', text: '\n\n' }, call] },
        user(result('c1', format === 'anthropic' ? '\n' : 'so')),
      ],
    });
    const body = bodyOf(desk);
    expect(body).not.toHaveProperty('system');
    expect(JSON.stringify(body.messages)).not.toMatch(/"(text|content)":"( |\\n)+"/);
    expect(JSON.stringify(body.messages)).toContain(
      format === 'anthropic' ? '"malformed":"[1,{\\"a\\":2}]"' : '"arguments":"[1,{',
    );
  });

  it.each(formats)('%s: holds no half characters, which make it unreadable', async (format) => {
    const desk = await openDesk();
    const text = 'half \ud83d, whole 😀, and the text \\ud83d';
    await desk.ask({ model: `${format}/m`, messages: [user(text)] });
    expect(JSON.stringify(bodyOf(desk).messages)).toContain(
      JSON.stringify('half \ufffd, whole 😀, and the text \\ud83d').slice(1, -1),
    );
  });

  it('ending with the model itself does not end in a space', async () => {
    const desk = await openDesk();
    const said = { role: 'assistant', parts: [{ type: 'text', text: 'The answer is ' }] } as const;
    await desk.ask({ messages: [user('[[say x]] [[say 7]]'), said] });
    expect(bodyOf(desk).messages[1]?.content).toEqual([{ type: 'text', text: 'The answer is' }]);
  });

  it('sends a temperature only when one is set', async () => {
    verifies('model.format.temperature');
    for (const format of formats) {
      const desk = await openDesk();
      await desk.ask({ model: `${format}/m`, text: 'hi' });
      expect(bodyOf(desk)).not.toHaveProperty('temperature');
      await desk.ask({ model: `${format}/m`, text: 'hi', temperature: 0 });
      expect(bodyOf(desk)).toHaveProperty('temperature', 0);
    }
  });

  it('leaves the temperature out where the version refuses it, and says so in the log', async () => {
    const desk = await openDesk();
    const { url } = desk.simulator;
    const other = await openDesk({
      declarations: [
        provider('new', url, { kind: 'anthropic', apiKeyEnv: 'MODEL_KEY', anthropicVersion: '2026-10-21' }),
      ],
    });
    await other.ask({ model: 'new/m', text: 'hi', temperature: 0.5 });
    expect(desk.simulator.requests.map(({ status }) => status)).toEqual([200]);
    expect(bodyOf(desk)).not.toHaveProperty('temperature');
    expect(desk.simulator.requests[0]?.headers['anthropic-version']).toBe('2026-10-21');
    expect(other.logs).toEqual(['the temperature was left out: the model does not take one']);
  });

  it('is sent with the version that has everything, unless another is declared', async () => {
    const desk = await openDesk();
    await desk.ask({ text: 'hi' });
    expect(desk.simulator.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('sends nothing that was not asked for', async () => {
    const desk = await openDesk();
    await desk.ask({ model: 'openai/m', text: 'hi', tools });
    expect(Object.keys(bodyOf(desk)).toSorted()).toEqual(['max_tokens', 'messages', 'model', 'tools']);
    await desk.ask({ text: 'hi' });
    expect(Object.keys(bodyOf(desk)).toSorted()).toEqual(['max_tokens', 'messages', 'model']);
  });

  it.each([
    [8192, undefined],
    [8193, true],
  ])('of %d tokens is streamed: %s', async (maxTokens, stream) => {
    for (const format of formats) {
      const desk = await openDesk();
      await desk.ask({ model: `${format}/m`, maxTokens, text: 'hi' });
      expect(bodyOf(desk)['stream']).toBe(stream);
    }
  });

  it('is streamed for who wants to hear it, text alone', async () => {
    for (const format of formats) {
      const desk = await openDesk();
      let told = '';
      const reply = await desk.ask(
        {
          model: `${format}/m`,
          tools,
          text: '[[thinking hm]] & [[say Straße, é😀 und so weiter]] & [[call add_note {"text": "x"}]]',
        },
        { onDelta: (text) => (told += text) },
      );
      expect([told, textOf(reply)]).toEqual(['Straße, é😀 und so weiter', 'Straße, é😀 und so weiter']);
    }
  });
});

describe('how a reply stops', () => {
  it.each([
    ['[[say hi]]', 'end', 'end'],
    ['[[call get_ticket {"id": 1}]]', 'tool_calls', 'tool_calls'],
    ['[[say hi]] & [[stop length]]', 'max_tokens', 'max_tokens'],
    ['[[refuse]]', 'refusal', 'refusal'],
    ['[[say hi]] & [[stop content_filter]]', 'refusal', 'refusal'],
    ['[[pause]]', 'pause', 'end'],
    ['[[say hi]] & [[stop context_window]]', 'context_window', 'max_tokens'],
  ])('%s: %s by anthropic, %s by openai', async (text, anthropic, openai) => {
    for (const maxTokens of [1000, 16000]) {
      const desk = await openDesk();
      expect((await desk.ask({ tools, maxTokens, text })).stop).toBe(anthropic);
      expect((await desk.ask({ model: 'openai/m', tools, maxTokens, text })).stop).toBe(openai);
    }
  });

  it('a turn that paused goes on when it is sent again as it is', async () => {
    const desk = await openDesk();
    const text = '[[thinking hm]] & [[pause Let me see.]] [[say Here it is.]]';
    const first = await desk.ask({ text });
    const second = await desk.ask({ messages: [user(text), first.message] });
    expect([textOf(first), textOf(second)]).toEqual(['Let me see.', 'Here it is.']);
  });

  it('the words of a refusal are its text', async () => {
    const desk = await openDesk();
    expect(textOf(await desk.ask({ model: 'openai/m', text: '[[refuse I would rather not.]]' }))).toBe(
      'I would rather not.',
    );
  });

  it('with arguments that are no JSON, they stay as they were written', async () => {
    for (const format of formats)
      for (const maxTokens of [1000, 16000]) {
        const desk = await openDesk();
        const reply = await desk.ask({
          model: `${format}/m`,
          maxTokens,
          tools,
          text: '[[call get_ticket "{id: 1"]]',
        });
        expect(callsOf(reply)).toMatchObject([{ name: 'get_ticket', arguments: '{id: 1' }]);
      }
  });
});
