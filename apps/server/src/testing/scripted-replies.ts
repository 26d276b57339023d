/** A call of a tool that a scripted model makes. */
export interface ScriptedToolCall {
  readonly call: string;
  readonly with?: object;
}

/**
 * One thing a scripted model says: a text, a call of a tool or several at once, a value as JSON, or an error that its provider
 * answers with.
 */
export type ScriptedAnswer =
  | string
  | ScriptedToolCall
  | readonly ScriptedToolCall[]
  | { readonly json: unknown }
  | Error;

/**
 * Writes an answer in the language of the simulator.
 *
 * @throws {TypeError} a text with `]]`, at which that language ends it
 */
export function toDirective(answer: ScriptedAnswer): string {
  if (typeof answer === 'string') return `[[say ${refuseEnd(answer)}]]`;
  // A status that nobody tries again.
  if (answer instanceof Error) return `[[error 400 message=${JSON.stringify(refuseEnd(answer.message))}]]`;
  if ('json' in answer) return `[[json ${JSON.stringify(answer.json)}]]`;
  const calls = 'call' in answer ? [answer] : answer;
  return `[[calls ${calls.map(({ call, with: given = {} }) => `${call} ${JSON.stringify(given)}`).join(', ')}]]`;
}

function refuseEnd(text: string): string {
  if (text.includes(']]')) throw new TypeError(`a scripted model cannot say "]]": ${text}`);
  return text;
}
