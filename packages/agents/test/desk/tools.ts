import { defineRoute, type Route, Type } from '@waymark/contract';
import type { Part } from '@waymark/contract/models';

/** Tools that write down what they did. */
export interface Tools {
  readonly routes: readonly Route[];
  /** What happened, in order: `pay 5`. */
  readonly done: readonly string[];
}

/** `look` reads, `write` and `mail` have effects, `pay` asks a human first, `secret` needs a scope nobody has. */
export function openTools(): Tools {
  const done: string[] = [];
  const note = (text: string): string => {
    done.push(text);
    return `did ${text}`;
  };
  const text = { text: Type.String({ default: '' }) };
  const cents = { cents: Type.Integer({ minimum: 1 }) };
  const tool = { tool: true } as const;
  return {
    done,
    routes: [
      defineRoute('GET', '/look', { ...tool, toolName: 'look', scopes: ['read'], input: text }, (input) =>
        note(`look ${input.text ?? ''}`),
      ),
      defineRoute('POST', '/write', { ...tool, toolName: 'write', scopes: ['write'], input: text }, (input) =>
        note(`write ${input.text ?? ''}`),
      ),
      defineRoute('POST', '/mail', { ...tool, toolName: 'mail', input: text }, (input) =>
        note(`mail ${input.text ?? ''}`),
      ),
      defineRoute('POST', '/pay', { ...tool, toolName: 'pay', approval: 'required', input: cents }, (input) =>
        note(`pay ${input.cents}`),
      ),
      defineRoute('POST', '/fee', { ...tool, toolName: 'fee', approval: 'required', input: cents }, (input) =>
        note(`fee ${input.cents}`),
      ),
      defineRoute('GET', '/secret', { ...tool, toolName: 'secret', scopes: ['nobody'] }, () =>
        note('secret'),
      ),
    ],
  };
}

/** The texts of the results that a model was given last. */
export function resultsOf(request: { readonly messages: readonly { readonly parts: readonly Part[] }[] }) {
  const last = request.messages.findLast(({ parts }) => parts.some(({ type }) => type === 'tool_result'));
  return (last?.parts ?? []).flatMap((part) =>
    part.type === 'tool_result'
      ? [part.parts.map((one) => (one.type === 'text' ? one.text : one.type)).join(' ')]
      : [],
  );
}
