import { HTTPError, type Json } from '@waymark/contract';
import type { ModelReply, ModelRequest } from '@waymark/contract/models';
import { BudgetExhausted } from '@waymark/contract/runs';
import { isMembers } from '../template/resolve-mapping.ts';
import { cutText } from './cut-text.ts';
import type { FlowPlan, PlannedStep } from './flow-plan.ts';
import type { FlowWork } from './flow-work.ts';
import { toText } from './to-text.ts';

type RoutePlan = Extract<FlowPlan<PlannedStep>, { kind: 'route' }>;

/** Asks for the label that fits the input, and gives its step. @throws {HTTPError} 502 there is none, and no default */
export async function chooseStep(plan: RoutePlan, input: Json, work: FlowWork): Promise<PlannedStep> {
  const label = await askForLabel(plan, input, work);
  const step = plan.routes.find((route) => route.label === label)?.step ?? plan.otherwise;
  if (step) return step;
  const said = label === '' ? 'the model chose no label' : `there is no step for the label "${label}"`;
  throw new HTTPError(502, `${said}: the labels are ${labelsOf(plan).join(', ')}`, { code: 'unknown_label' });
}

/** One choice in one journaled step: what was decided once is never decided again. */
async function askForLabel(plan: RoutePlan, input: Json, { scope, parts }: FlowWork): Promise<string> {
  const labels = labelsOf(plan);
  const models = parts.models();
  const request = toRequest(plan, input);
  const estimateTokens = models.estimateTokens(request);
  const reserveTokens = estimateTokens + request.maxTokens;
  const spec = { kind: 'ask', name: 'classify', input: { labels }, repeat: 'safe' } as const;
  const { label } = await scope.op({ ...spec, reserveTokens, estimateTokens }, async ({ grantedTokens }) => {
    const maxTokens = Math.min(request.maxTokens, grantedTokens ?? request.maxTokens);
    const { message, stop, spend } = await models.complete(
      { ...request, maxTokens },
      {
        ...{ signal: scope.signal, deadlineMs: scope.deadlineMs },
        ...(grantedTokens !== null && { tokenBudget: estimateTokens + grantedTokens }),
      },
    );
    if (stop === 'max_tokens' && maxTokens < request.maxTokens) throw cutOff(spend);
    return { value: { label: readLabel(message, labels) }, spend };
  });
  return label;
}

/** The budget left no room for the answer, which is paid all the same. */
function cutOff(spend: ModelReply['spend']): BudgetExhausted {
  return Object.assign(new BudgetExhausted('the token budget is used up'), { spend });
}

/** A label is short; some models think before they choose. */
const mostTokens = 1_024;

const choose = 'choose';

/** The model can do nothing but choose. */
function toRequest(plan: RoutePlan, input: Json): ModelRequest {
  const labels = labelsOf(plan);
  return {
    model: plan.classifyWith,
    messages: [{ role: 'user', parts: [{ type: 'text', text: toPrompt(plan, toText(input)) }] }],
    tools: [
      {
        name: choose,
        description: 'Chooses the label that fits the input best.',
        inputSchema: {
          type: 'object',
          properties: { label: { type: 'string', enum: labels } },
          required: ['label'],
          additionalProperties: false,
        },
      },
    ],
    toolChoice: { tool: choose },
    maxTokens: mostTokens,
    cache: false,
  };
}

const defaultPrompt =
  'Choose the label that fits the input best. The labels are: {labels}.\n\nThe input:\n\n{input}';

/** A prompt without a place for the input has it at its end. What the input says is put in once and not read again. */
function toPrompt(plan: RoutePlan, input: string): string {
  const prompt = plan.classifyPrompt ?? defaultPrompt;
  const whole = prompt.includes('{input}') ? prompt : `${prompt}\n\n{input}`;
  const labels = labelsOf(plan).join(', ');
  return whole.replace(/\{(labels|input)\}/g, (_, name: string) => (name === 'labels' ? labels : input));
}

/** Letters of what is no label that are kept, to be named. */
const maxLabel = 64;

/** The label as it is declared, or what the model said instead of one. */
function readLabel({ parts }: ModelReply['message'], labels: readonly string[]): string {
  const call = parts.find((part) => part.type === 'tool_call' && part.name === choose);
  const said = call?.type === 'tool_call' && isMembers(call.arguments) ? call.arguments['label'] : undefined;
  const text =
    typeof said === 'string' ? said : parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const wanted = text.trim();
  const known = labels.find((label) => label.toLowerCase() === wanted.toLowerCase());
  return known ?? cutText(wanted, maxLabel);
}

function labelsOf({ routes }: RoutePlan): readonly string[] {
  return routes.map(({ label }) => label);
}
