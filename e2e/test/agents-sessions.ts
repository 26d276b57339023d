import type { Application } from '@waymark/server';
import { expect } from 'vitest';
import type { Caller, ThinkingApplication } from './agents-application.ts';

/** Two agents; one may sell, which a human must approve. */
export const declareClerk = (app: Application): void => {
  app
    .post('/sell', { tool: true, toolName: 'sell', approval: 'required', summary: 'Sells.' }, () => 'sold')
    .agent('clerk', { tools: ['sell'], scopes: ['read'] })
    .agent('other', { scopes: ['read'] });
};

/** What the model is told that was said before in a session: words that begin with `word-`. */
export const heard = async (
  { ask }: ThinkingApplication,
  session: string,
  caller?: Caller,
  agent = 'clerk',
) => {
  const { status, value } = await ask(agent, { input: '[[echo messages]]', session_id: session }, caller);
  expect(status, value.detail).toBe(200);
  return [...value.output.matchAll(/word-[\w-]+/g)].map(([word]) => word);
};

/** A turn with one such word. */
export const say = async ({ ask }: ThinkingApplication, session: string, word: string, caller?: Caller) => {
  const { status } = await ask('clerk', { input: `${word} [[say Fine.]]`, session_id: session }, caller);
  expect(status).toBe(200);
};
