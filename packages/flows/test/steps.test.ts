import { image, type Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type FlowStep, flow } from '../src/index.ts';
import { bodyOf, openDesk } from './desk/open-desk.ts';
import { refused, strictTool, type ToolOptions, toolBench } from './desk/tools.ts';

/** One run of a pipeline over these tools. */
async function runPipeline(
  tools: Readonly<Record<string, ToolOptions>>,
  pipeline: readonly FlowStep[] = Object.keys(tools),
  input: object = { input: 'Hello.' },
) {
  const bench = toolBench(tools);
  const desk = await openDesk([flow('chain', { pipeline })], { routes: bench.routes });
  const response = await desk.ask('chain', { ...input });
  return { response, result: bodyOf(response), asked: bench.asked };
}

describe('a step', () => {
  it('is the bare name of a tool, which is given the object that reached it', async () => {
    verifies('flow.step.name', 'flow.step.other-input', 'flow.option.pipeline');
    const { asked, result } = await runPipeline(
      { first: { answer: { id: 7 } }, second: { answer: 'done' } },
      undefined,
      { input: 'Hello.', more: 1 },
    );
    expect(asked).toEqual([
      ['first', { input: 'Hello.', more: 1 }],
      ['second', { id: 7 }],
    ]);
    expect(result).toMatchObject({ status: 'completed', output: 'done' });
  });

  it.each([
    ['a text', 'text'],
    ['a number', 5],
    ['a list', [1]],
    ['nothing', null],
    ['a truth', true],
  ])('that is reached by %s is given it as input', async (_, value) => {
    verifies('flow.step.other-input');
    const { asked } = await runPipeline({ first: { answer: value }, second: { answer: 1 } });
    expect(asked[1]).toEqual(['second', { input: value }]);
  });

  it('is a tool with what it is given', async () => {
    verifies('flow.step.map');
    const { asked } = await runPipeline({ first: { answer: { id: 7 } }, second: { answer: 1 } }, [
      'first',
      { tool: 'second', input: { id: '$.id', said: '$input.input', n: 1 } },
    ]);
    expect(asked[1]).toEqual(['second', { id: 7, said: 'Hello.', n: 1 }]);
  });

  it('that is a tool without input is given what reached it', async () => {
    const { asked } = await runPipeline({ first: { answer: { id: 7 } }, second: { answer: 1 } }, [
      'first',
      { tool: 'second' },
    ]);
    expect(asked[1]).toEqual(['second', { id: 7 }]);
  });

  it.each([
    ['a text', 'Sum up.', 'Sum up.'],
    ['an object', { id: 7 }, '{"id":7}'],
    ['an object with a text input and nothing else', { input: 'Sum up.' }, 'Sum up.'],
    ['an object with more than that', { input: 'Sum up.', id: 7 }, '{"input":"Sum up.","id":7}'],
    ['a list', [1, 2], '[1,2]'],
    ['a number', 5, '5'],
    ['nothing', null, 'null'],
  ])('of an agent that is reached by %s reads it as its input', async (_, value, text) => {
    verifies('flow.step.agent-input');
    const { asked } = await runPipeline({
      first: { answer: value },
      writer: { kind: 'agent', answer: 'Told.' },
    });
    expect(asked[1]).toEqual(['writer', { input: text }]);
  });

  it.each([
    ['an object', { id: 7 }, '{"id":7}'],
    ['a list', [1, 2], '[1,2]'],
    ['a text', 'Sum up.', 'Sum up.'],
    ['a number', 5, '5'],
  ])('of an agent whose mapping gives it %s reads it as its input', async (_, value, text) => {
    verifies('flow.step.agent-input');
    const { asked } = await runPipeline({ first: { answer: value }, writer: { kind: 'agent', answer: 1 } }, [
      'first',
      { tool: 'writer', input: { input: '$' } },
    ]);
    expect(asked[1]).toEqual(['writer', { input: text }]);
  });

  it('of an agent whose mapping gives it nothing is given nothing', async () => {
    const { asked } = await runPipeline({ writer: { kind: 'agent', answer: 1 } }, [
      { tool: 'writer', input: { input: '$.missing' } },
    ]);
    expect(asked).toEqual([['writer', { input: null }]]);
  });

  it('of an agent reads sizes in the place of bytes', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const { asked } = await runPipeline({
      first: { answer: { frame: image(png), at: 1 } },
      writer: { kind: 'agent', answer: 'Seen.' },
    });
    expect(asked[1]).toEqual([
      'writer',
      { input: '{"frame":{"$image":{"media_type":"image/png","bytes":16}},"at":1}' },
    ]);
  });

  it.each(['agent', 'behaviour', 'flow'] as const)(
    'of a kind %s ends its flow when it ends early',
    async (kind) => {
      verifies('flow.step.early-end');
      for (const status of ['max_tokens', 'step_limit', 'budget_exhausted', 'halted']) {
        const { response, result, asked } = await runPipeline({
          first: { kind, ends: status, answer: 'so far' },
          second: { answer: 1 },
        });
        expect(response.status).toBe(200);
        expect(result).toMatchObject({ status, output: 'so far', steps: [{ tool: 'first', ok: true }] });
        expect(asked).toHaveLength(1);
      }
    },
  );

  it('of a run gives its output on, whatever that looks like', async () => {
    verifies('flow.step.unwrapped');
    const { asked } = await runPipeline({
      first: { kind: 'flow', answer: { status: 'halted', output: 'x' } },
      second: { kind: 'flow', answer: { status: 'max_tokens', output: 'x' } },
      third: { answer: 1 },
    });
    expect(asked.map(([, values]) => values)).toEqual([
      { input: 'Hello.' },
      { status: 'halted', output: 'x' },
      { status: 'max_tokens', output: 'x' },
    ]);
  });

  it('of a plain tool may answer what looks like an early end', async () => {
    const { result } = await runPipeline({ first: { answer: { status: 'max_tokens', output: 'x' } } });
    expect(result).toMatchObject({ status: 'completed', output: { status: 'max_tokens', output: 'x' } });
  });
});

describe('steps', () => {
  it('are given values of their own, whatever others do to theirs', async () => {
    const spoil = (values: Json): Json => {
      (values as { order: { id: number } }).order.id = 0;
      return values;
    };
    const bench = toolBench({ first: { answer: spoil }, second: { answer: 1 }, third: { answer: 1 } });
    const mapped = { tool: 'first', input: { order: '$.order' } };
    const last = { tool: 'third', input: { order: '$input.order' } };
    const desk = await openDesk(
      [
        flow('wide', { parallel: ['first', 'second'] }),
        flow('chain', { pipeline: ['first', last] }),
        flow('mapped', { pipeline: [mapped, last] }),
      ],
      { routes: bench.routes },
    );
    await desk.run('wide', { order: { id: 7 } });
    expect(bench.asked.at(-1)).toEqual(['second', { order: { id: 7 } }]);
    for (const name of ['chain', 'mapped']) {
      await desk.run(name, { order: { id: 7 } });
      expect(bench.asked.at(-1)).toEqual(['third', { order: { id: 7 } }]);
    }
  });
});

describe('a step that fails', () => {
  it('ends the flow with a 502 that names it, and the whole result', async () => {
    verifies('flow.route.failed', 'flow.result.steps');
    const { response, result, asked } = await runPipeline({
      first: { answer: 1 },
      second: { answer: refused() },
      third: { answer: 1 },
    });
    expect(response.status).toBe(502);
    expect(asked.map(([tool]) => tool)).toEqual(['first', 'second']);
    expect(result).toMatchObject({
      detail: 'tool second failed with 404: no ticket 7',
      code: 'step_failed',
      run: {
        ...{ flow: 'chain', run_id: 'run1', status: 'failed', output: null },
        steps: [
          { tool: 'first', duration_ms: 0, ok: true },
          { tool: 'second', duration_ms: 0, ok: false, error: 'no ticket 7' },
        ],
      },
    });
  });

  it.each([
    ['short', 'x'.repeat(2_000), 'x'.repeat(2_000)],
    ['too long', 'x'.repeat(2_001), `${'x'.repeat(2_000)}…`],
    ['cut between characters', `${'x'.repeat(1_999)}😀`, `${'x'.repeat(1_999)}…`],
  ])('tells of its error what can be read: %s', async (_, message, told) => {
    const { result } = await runPipeline({ first: { answer: refused(409, message) } });
    expect(result).toMatchObject({
      detail: `tool first failed with 409: ${told}`,
      run: { steps: [{ tool: 'first', ok: false, error: told }] },
    });
  });

  it('says what its tool does not take', async () => {
    const desk = await openDesk(
      [flow('chain', { pipeline: [{ tool: 'ticket', input: { id: '$input.missing' } }] })],
      { routes: [strictTool()] },
    );
    expect(bodyOf(await desk.ask('chain', {}))).toMatchObject({
      detail: 'tool ticket failed with 422: /id must be integer',
    });
  });

  it('is told by its cause to a flow that it is a step of', async () => {
    const bench = toolBench({ broken: { answer: refused(409, 'not now') } });
    const desk = await openDesk(
      [flow('inner', { pipeline: ['broken'] }), flow('outer', { pipeline: ['inner'] })],
      { routes: bench.routes },
    );
    const body = bodyOf(await desk.ask('outer', {}));
    expect(body).toMatchObject({
      detail: 'tool inner failed with 502: tool broken failed with 409: not now',
      run: { flow: 'outer', steps: [{ tool: 'inner', ok: false }] },
    });
  });
});

describe('a flow in a flow', () => {
  it('gives its output, and its early end', async () => {
    verifies('flow.step.unwrapped', 'flow.step.early-end');
    const bench = toolBench({
      whole: { answer: { n: 1 } },
      short: { kind: 'agent', ends: 'max_tokens', answer: 'cut' },
      last: { answer: 'end' },
    });
    const desk = await openDesk(
      [
        flow('good', { pipeline: ['whole'] }),
        flow('cut', { pipeline: ['short'] }),
        flow('outer', { pipeline: ['good', 'last'] }),
        flow('stopped', { pipeline: ['cut', 'last'] }),
      ],
      { routes: bench.routes },
    );
    expect(await desk.run('outer')).toMatchObject({ status: 'completed', output: 'end' });
    expect(bench.asked.at(-1)).toEqual(['last', { n: 1 }]);
    expect(await desk.run('stopped')).toMatchObject({ status: 'max_tokens', output: 'cut' });
  });
});
