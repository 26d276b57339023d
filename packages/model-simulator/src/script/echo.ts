import { hash } from 'node:crypto';
import type { Conversation, SeenImage } from '../request/conversation.ts';
import type { EchoSubject } from './directive.ts';
import { withoutDirectives } from './read-script.ts';

/** What of the request the model got, as JSON; images are told by type, size and digest. */
export function echo(conversation: Conversation, of: EchoSubject): string {
  const { system, tools, turns, body } = conversation;
  const { messages: _messages, system: _system, tools: _tools, ...parameters } = body;
  const subjects = {
    system: withoutDirectives(system),
    tools: tools.map(({ name }) => name),
    messages: turns,
    results: turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : [])),
    parameters,
  };
  const subject = of === 'all' ? subjects : subjects[of];
  return typeof subject === 'string' ? subject : JSON.stringify(subject, showImages);
}

/** A sentence on the images of a request, those of tool results included, oldest first. */
export function tellImages({ turns }: Conversation): string {
  const images = turns.flatMap((turn) => {
    if (turn.role === 'user') return turn.images;
    return turn.role === 'tool' ? turn.results.flatMap((result) => result.images) : [];
  });
  if (images.length === 0) return 'no images';
  return `${images.length} image${images.length > 1 ? 's' : ''}: ${images.map(describe).join(', ')}`;
}

function showImages(key: string, value: unknown): unknown {
  return key === 'images' ? (value as readonly SeenImage[]).map(describe) : value;
}

function describe({ mediaType, data }: SeenImage): string {
  if (mediaType === '') return data;
  const bytes = Buffer.from(data, 'base64');
  return `${mediaType} ${bytes.length} bytes sha256:${hash('sha256', bytes).slice(0, 8)}`;
}
