import { checkOptions, type Fault, isOptions } from '@waymark/contract/declaring';
import { cutText } from '../run/cut-text.ts';
import { meantTemplate, parseTemplate } from '../template/template.ts';
import { type FlowFault, fault } from './flow-rules.ts';

/** No tool takes deeper JSON (decision 2.6). */
const maxDepth = 64;

/** Finds what is wrong with one step. @param title where it stands: `pipeline[1]`, `route.billing` */
export function checkStep(title: string, step: unknown): readonly Fault[] {
  if (typeof step === 'string' && step !== '') return [];
  if (!isOptions(step)) return [noStep(title)];
  const { tool, input } = step as { readonly tool?: unknown; readonly input?: unknown };
  if (tool === undefined || tool === '') return [noStep(title)];
  const faults = checkOptions(step, { tool: 'text', input: 'any' }, `${title}.`);
  if (input === undefined) return faults;
  return [...faults, ...(isOptions(input) ? checkValue(`${title}.input`, input, []) : [noMapping(title)])];
}

function noStep(title: string): FlowFault {
  const rule = `${title} is neither the name of a tool nor { tool, input }`;
  return fault('flow-step', rule, "write 'list_tickets'");
}

function noMapping(title: string): FlowFault {
  return fault('flow-step', `${title}.input is not an object`, "write input: { name: '$.path' }");
}

/** Values and templates that JSON can hold. @param above what the value stands in, outermost first */
function checkValue(title: string, value: unknown, above: readonly unknown[]): readonly FlowFault[] {
  if (typeof value === 'string') return checkTemplate(title, value);
  // A member that is undefined is none.
  if (value === null || value === undefined || typeof value === 'boolean' || Number.isFinite(value))
    return [];
  if (above.includes(value)) return [fault('flow-step', `${title} holds itself`, 'take it out')];
  if (above.length >= maxDepth)
    return [fault('flow-step', `${title} is more than ${maxDepth} levels deep`, 'make it flatter')];
  const inside = [...above, value];
  if (Array.isArray(value))
    return value.flatMap((item: unknown, i) => checkValue(`${title}[${i}]`, item, inside));
  if (isPlain(value))
    return Object.entries(value).flatMap(([name, member]) => checkValue(`${title}.${name}`, member, inside));
  const rule = `${title} is nothing that JSON can hold`;
  return [fault('flow-step', rule, 'write a text, a number, a list or an object')];
}

function isPlain(value: unknown): value is object {
  if (!isOptions(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function checkTemplate(title: string, text: string): readonly FlowFault[] {
  if (parseTemplate(text)) return [];
  const shown = cutText(text, 80);
  const rule = `${title} is "${shown}", and no template`;
  const meant = shown === text ? meantTemplate(text) : undefined;
  return [
    {
      code: 'flow-template',
      rule,
      ...(meant === undefined
        ? {
            fix: `write "$${shown}" for the text itself, or one of $, $.path, $input, $input.path`,
          }
        : { nearest: meant }),
    },
  ];
}
