import { ModelError } from '@waymark/contract/models';
import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type FlowOptions, flow } from '../src/index.ts';
import { bodyOf, openDesk } from './desk/open-desk.ts';
import { toolBench } from './desk/tools.ts';

const choose = (label: unknown): ScriptedReply => ({
  calls: [{ name: 'choose', arguments: { label: label as string } }],
});

/** One run of a flow that routes, with what the model says. */
async function routeOnce(
  reply: ScriptedReply,
  options: object = {},
  input: Readonly<Record<string, unknown>> = { input: 'The lamp is broken.' },
) {
  const models = scriptedModel([reply]);
  const bench = toolBench({
    pay: { answer: 'paid' },
    mend: { answer: 'mended' },
    file: { answer: 'filed' },
  });
  const given = { route: { billing: 'pay', Repair: 'mend' }, ...options } as FlowOptions;
  const desk = await openDesk([flow('triage', given)], { routes: bench.routes, models });
  const response = await desk.ask('triage', input);
  return { response, body: bodyOf(response), asked: bench.asked, request: models.requests[0]! };
}

const textOf = ({ messages }: { readonly messages: readonly { readonly parts: readonly object[] }[] }) =>
  messages
    .flatMap(({ parts }) => parts)
    .map((part) => (part as { readonly text?: string }).text)
    .join('\n');

describe('a flow that routes', () => {
  it('runs the one step its input was classified for, with the input', async () => {
    verifies('flow.option.route', 'flow.option.route.labels', 'flow.result.steps');
    const { body, asked } = await routeOnce(choose('Repair'));
    expect(asked).toEqual([['mend', { input: 'The lamp is broken.' }]]);
    expect(body).toMatchObject({
      ...{ status: 'completed', output: 'mended' },
      steps: [
        { tool: 'classify', ok: true, label: 'Repair' },
        { tool: 'mend', ok: true },
      ],
    });
  });

  it('makes the model choose among its labels and do nothing else', async () => {
    verifies('flow.router.forced');
    const { request } = await routeOnce(choose('billing'));
    expect(request.toolChoice).toEqual({ tool: 'choose' });
    expect(request.tools).toEqual([
      {
        name: 'choose',
        description: expect.stringMatching(/\S/) as unknown,
        inputSchema: {
          ...{ type: 'object', required: ['label'], additionalProperties: false },
          properties: { label: { type: 'string', enum: ['billing', 'Repair'] } },
        },
      },
    ]);
    expect(request).toMatchObject({ cache: false, maxTokens: 1_024 });
  });

  it.each([
    [{}, 'fast'],
    [{ classifyWith: 'smart' }, 'smart'],
  ])('with %o asks the model %s', async (options, model) => {
    verifies('flow.option.classify-with', 'flow.option.classify-with.default');
    expect((await routeOnce(choose('billing'), options)).request.model).toBe(model);
  });

  it('asks with labels and input where nothing is said', async () => {
    verifies('flow.option.classify-prompt.default');
    const text = textOf((await routeOnce(choose('billing'))).request);
    expect(text).toContain('billing, Repair');
    expect(text).toContain('The lamp is broken.');
  });

  it('puts labels and input where its prompt says, each as often as it says', async () => {
    verifies('flow.option.classify-prompt');
    const classifyPrompt = '{labels}? {input}! {labels} {other}';
    const { request } = await routeOnce(choose('billing'), { classifyPrompt });
    expect(textOf(request)).toBe('billing, Repair? The lamp is broken.! billing, Repair {other}');
  });

  it('puts the input behind a prompt without a place for it', async () => {
    const { request } = await routeOnce(choose('billing'), { classifyPrompt: 'Which desk?' });
    expect(textOf(request)).toBe('Which desk?\n\nThe lamp is broken.');
  });

  it('takes an input for what it says, whatever looks like a place in it', async () => {
    const input = { input: "{labels} $& $1 {input} $'" };
    const { request } = await routeOnce(choose('billing'), { classifyPrompt: 'Sort: {input}' }, input);
    expect(textOf(request)).toBe("Sort: {labels} $& $1 {input} $'");
  });

  it('shows the model the whole input where that is more than a text', async () => {
    const input = { input: 'Broken.', id: 7 };
    const { request } = await routeOnce(choose('billing'), { classifyPrompt: '{input}' }, input);
    expect(textOf(request)).toBe('{"input":"Broken.","id":7}');
  });

  it.each(['repair', ' REPAIR ', 'Repair'])('knows the label %j by its letters', async (label) => {
    const { asked, body } = await routeOnce(choose(label));
    expect(asked.map(([tool]) => tool)).toEqual(['mend']);
    expect(body).toMatchObject({ steps: [{ label: 'Repair' }, { tool: 'mend' }] });
  });

  it('knows a label that the model says instead of choosing it', async () => {
    expect((await routeOnce('billing')).asked.map(([tool]) => tool)).toEqual(['pay']);
  });

  it.each([choose('other'), choose(7), choose(null), choose('__proto__'), 'I cannot say.'])(
    'takes its default where no label was chosen that there is',
    async (reply) => {
      verifies('flow.option.default', 'flow.router.unknown');
      const { asked, body } = await routeOnce(reply, { default: 'file' });
      expect(asked).toEqual([['file', { input: 'The lamp is broken.' }]]);
      expect(body).toMatchObject({ status: 'completed', output: 'filed' });
    },
  );

  it('fails without a default, and names the label', async () => {
    verifies('flow.option.default.default', 'flow.router.unknown');
    const { response, body, asked } = await routeOnce(choose('refunds'));
    expect(response.status).toBe(502);
    expect(body).toMatchObject({
      detail: 'there is no step for the label "refunds": the labels are billing, Repair',
      code: 'unknown_label',
      run: { status: 'failed', steps: [{ tool: 'classify', ok: true, label: 'refunds' }] },
    });
    expect(asked).toEqual([]);
  });

  it('names a label that is too long by its first characters', async () => {
    const { body } = await routeOnce(choose(`${'x'.repeat(63)}😀😀`));
    expect(body).toMatchObject({
      detail: expect.stringContaining(`the label "${'x'.repeat(63)}…":`) as unknown,
      run: { steps: [{ label: `${'x'.repeat(63)}…` }] },
    });
  });

  it('fails without a default where the model says nothing', async () => {
    const { body } = await routeOnce(choose(null));
    expect(body['detail']).toBe('the model chose no label: the labels are billing, Repair');
  });

  it('fails with the cause where the model does', async () => {
    const error = new ModelError('provider "x" cannot be reached', {
      ...{ reason: 'unavailable', provider: 'x', model: 'y' },
    });
    const { response, body } = await routeOnce(error, { default: 'file' });
    expect(response.status).toBe(502);
    expect(body).toMatchObject({
      ...{ detail: 'provider "x" cannot be reached', code: 'unavailable' },
      run: { steps: [{ tool: 'classify', ok: false, error: 'provider "x" cannot be reached' }] },
    });
  });

  it('maps the input of its step, for which the input is what reached it', async () => {
    const route = { billing: { tool: 'pay', input: { a: '$.input', b: '$input.input' } } };
    const { asked } = await routeOnce(choose('billing'), { route });
    expect(asked).toEqual([['pay', { a: 'The lamp is broken.', b: 'The lamp is broken.' }]]);
  });

  it('has no labels by default: other flows ask no model', async () => {
    verifies('flow.option.route.default');
    const models = scriptedModel([]);
    const bench = toolBench({ pay: { answer: 'paid' } });
    const desk = await openDesk([flow('plain', { pipeline: ['pay'] })], { routes: bench.routes, models });
    expect(await desk.run('plain')).toMatchObject({ steps: [{ tool: 'pay' }] });
    expect(models.requests).toEqual([]);
    expect(desk.plugin.needs).toEqual(['runner']);
  });
});
