import { type Fault, isOptions, nearest } from '@waymark/contract/declaring';
import { checkStep } from './check-step.ts';
import { type FlowFault, fault } from './flow-rules.ts';

/** Options of a flow as a program without types may write them. */
type Given = { readonly [name: string]: unknown };

const kinds = ['pipeline', 'parallel', 'route'] as const;

/** Finds whether a flow is exactly one of the three, what stands beside it that belongs to another, and wrong steps. */
export function checkKind(options: object): readonly Fault[] {
  const given = options as Given;
  const said = kinds.filter((kind) => given[kind] !== undefined);
  const [kind] = said;
  if (kind === undefined)
    return [fault('flow-kind', 'it is none of pipeline, parallel and route', "write pipeline: ['…']")];
  if (said.length > 1)
    return [fault('flow-kind', `it is ${said.join(' and ')} at once`, 'make a flow of each')];
  return [
    ...(kind === 'route' ? checkRoute(given['route']) : checkList(kind, given[kind])),
    ...(kind === 'route' ? checkPrompt(given['classifyPrompt']) : belongsElsewhere(kind, given)),
    ...(kind === 'parallel' || given['merge'] === undefined ? [] : [mergeElsewhere(kind)]),
    ...(kind === 'route' && given['default'] !== undefined ? checkStep('default', given['default']) : []),
  ];
}

function checkList(kind: string, steps: unknown): readonly Fault[] {
  if (!Array.isArray(steps))
    return [fault('flow-step', `${kind} is not a list of steps`, `write ${kind}: ['…', '…']`)];
  if (steps.length === 0) return [empty(kind, `write ${kind}: ['…']`)];
  // A hole is a step that somebody left out, and `flatMap` would pass over it.
  return Array.from(steps, (step: unknown, i) => checkStep(`${kind}[${i}]`, step)).flat();
}

function checkRoute(route: unknown): readonly Fault[] {
  if (!isOptions(route))
    return [fault('flow-step', 'route is not a map of labels to steps', "write route: { billing: '…' }")];
  const labels = Object.keys(route);
  if (labels.length === 0) return [empty('route', "write route: { billing: '…' }")];
  return [
    ...labels.flatMap((label, i) => checkLabel(label, labels.slice(0, i))),
    ...Object.entries(route).flatMap(([label, step]) => checkStep(`route.${label}`, step)),
  ];
}

function empty(kind: string, fix: string): FlowFault {
  return fault('flow-empty', `its ${kind} has no step`, fix);
}

/** Up to 64 characters without a control character or half of a pair, and no space around them. */
const labelPattern = /^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,64}(?<!\s)$/u;

function checkLabel(label: string, earlier: readonly string[]): readonly FlowFault[] {
  if (!labelPattern.test(label)) {
    const rule = `label ${JSON.stringify(label.slice(0, 80))} is not a word of up to 64 characters`;
    return [fault('flow-label', rule, "write a word: 'billing'")];
  }
  const twin = earlier.find((one) => one.toLowerCase() === label.toLowerCase());
  if (twin === undefined) return [];
  return [fault('flow-label', `labels "${twin}" and "${label}" differ by case only`, 'take one of them out')];
}

/** Only what was probably meant for one of the two: braces may stand in any text. */
function checkPrompt(prompt: unknown): readonly FlowFault[] {
  if (typeof prompt !== 'string') return [];
  const names = [...prompt.matchAll(/\{\s*(\w+)\s*\}/g)];
  return names.flatMap(([place, name = '']): readonly FlowFault[] => {
    const meant = nearest(name, ['labels', 'input']);
    if (meant === undefined || place === `{${meant}}`) return [];
    return [{ code: 'flow-prompt', rule: `classifyPrompt has no place "${place}"`, nearest: `{${meant}}` }];
  });
}

function belongsElsewhere(kind: string, given: Given): readonly FlowFault[] {
  const classify = ['classifyWith', 'classifyPrompt'].filter((name) => given[name] !== undefined);
  return [
    ...(given['default'] === undefined
      ? []
      : [fault('flow-default', `default belongs to a route, and it is a ${kind} flow`, 'take default out')]),
    ...classify.map((name) =>
      fault('flow-classify', `${name} belongs to a route, and it is a ${kind} flow`, `take ${name} out`),
    ),
  ];
}

function mergeElsewhere(kind: string): FlowFault {
  return fault('flow-merge', `merge belongs to parallel, and it is a ${kind} flow`, 'take merge out');
}
