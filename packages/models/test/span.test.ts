import { type Attributes, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { openDesk, tools, user } from './desk.ts';

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes;
  status: number | undefined;
  ended: number;
}

/** Registers a tracer that remembers what it was told. */
function record(): Recorded[] {
  const spans: Recorded[] = [];
  const tracer = {
    startSpan(name: string) {
      const recorded: Recorded = { name, attributes: {}, status: undefined, ended: 0 };
      spans.push(recorded);
      return {
        isRecording: () => true,
        setAttributes: (attributes: Attributes) => Object.assign(recorded.attributes, attributes),
        setAttribute: (key: string, value: string) => Object.assign(recorded.attributes, { [key]: value }),
        setStatus: ({ code }: { code: number }) => {
          recorded.status = code;
        },
        end: () => {
          recorded.ended++;
        },
      } as unknown as Span;
    },
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return spans;
}

afterEach(() => trace.disable());

describe('the span of an attempt', () => {
  it('says in the words of the conventions what was asked and used, and nothing that was said', async () => {
    const spans = record();
    const desk = await openDesk();
    await desk.ask({
      tools,
      temperature: 0.5,
      maxTokens: 16000,
      text: '[[usage input=9 output=3 cached=2 written=1]] [[say secret]]',
    });
    const { port } = new URL(desk.simulator.url);
    expect(spans).toEqual([
      {
        name: 'chat m',
        status: undefined,
        ended: 1,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.request.model': 'm',
          'gen_ai.request.max_tokens': 16000,
          'gen_ai.request.temperature': 0.5,
          'gen_ai.request.stream': true,
          'server.address': '127.0.0.1',
          'server.port': Number(port),
          'gen_ai.response.time_to_first_chunk': expect.any(Number),
          'gen_ai.response.id': expect.stringMatching(/^msg_/),
          'gen_ai.response.model': 'm',
          'gen_ai.response.finish_reasons': ['end'],
          'gen_ai.usage.input_tokens': 9,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.usage.cache_read.input_tokens': 2,
          'gen_ai.usage.cache_write.input_tokens': 1,
        },
      },
    ]);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it('holds what was said only where that is wanted', async () => {
    const spans = record();
    const desk = await openDesk({ traceContent: true });
    const system = { role: 'system', parts: [{ type: 'text', text: 'be good' }] } as const;
    await desk.ask({ tools, messages: [system, user('[[say hello]]')] });
    expect(spans[0]?.attributes).toMatchObject({
      'gen_ai.system_instructions': expect.stringContaining('be good'),
      'gen_ai.input.messages': expect.stringContaining('[[say hello]]'),
      'gen_ai.output.messages': expect.stringContaining('hello'),
      'gen_ai.tool.definitions': expect.stringContaining('get_ticket'),
    });
  });

  it('is one for each attempt, and says why it failed', async () => {
    const spans = record();
    const desk = await openDesk();
    await desk.ask({ text: '[[error 529 times=1]] [[say hi]]' });
    expect(spans.map(({ status, ended, attributes }) => [status, ended, attributes['error.type']])).toEqual([
      [SpanStatusCode.ERROR, 1, 'unavailable'],
      [undefined, 1, undefined],
    ]);
    expect(spans[0]?.attributes['gen_ai.response.finish_reasons']).toEqual(['error']);
  });

  it('ends although a listener throws', async () => {
    const spans = record();
    const desk = await openDesk();
    const onDelta = () => {
      throw new RangeError('full');
    };
    await expect(desk.ask({ text: '[[say hello]]' }, { onDelta })).rejects.toThrow('full');
    expect(spans).toMatchObject([
      { ended: 1, status: SpanStatusCode.ERROR, attributes: { 'error.type': 'RangeError' } },
    ]);
  });
});
