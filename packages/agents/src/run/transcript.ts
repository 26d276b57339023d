import type { Message, Part } from '@waymark/contract/models';
import { cutChars } from './cut-text.ts';
import { escapeText } from './escape-markup.ts';

/** Characters of one message that a summary is made from. */
const maxMessageChars = 4_000;

/** Characters of the first one, which may be a summary itself. */
const maxFirstChars = 20_000;

/** Characters of all of them. */
const maxChars = 400_000;

/** A conversation as text for somebody who sums it up: escaped, so that nothing said in it ends it. */
export function transcript(messages: readonly Message[], limit = maxChars): string {
  const lines = messages.map(toLine);
  // An earlier summary stands first: it is all that is left of what it tells.
  const [first = '', ...rest] = lines;
  let room = Math.min(limit, maxChars) - first.length;
  const kept: string[] = [];
  for (const line of rest.toReversed()) {
    room -= line.length;
    if (room < 0) break;
    kept.unshift(line);
  }
  const left = rest.length - kept.length;
  const gap = left === 0 ? [] : [`[${left} messages are left out here]`];
  return `<conversation>\n${escapeText([first, ...gap, ...kept].join('\n'))}\n</conversation>`;
}

function toLine({ role, parts }: Message, i: number): string {
  const said = parts.flatMap(toText).join(' ');
  return `${role === 'assistant' ? 'Assistant' : 'User'}: ${cutChars(said, i === 0 ? maxFirstChars : maxMessageChars)}`;
}

function toText(part: Part): readonly string[] {
  switch (part.type) {
    case 'text':
      return [part.text];
    case 'image':
      return ['[image]'];
    case 'tool_call':
      return [`[calls ${part.name} ${JSON.stringify(part.arguments)}]`];
    case 'tool_result':
      return [`[${part.isError ? 'error' : 'result'}: ${part.parts.flatMap(toText).join(' ')}]`];
    case 'opaque':
      return [];
  }
}
