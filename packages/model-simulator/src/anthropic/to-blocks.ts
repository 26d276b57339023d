import { isObject, type JsonObject, objectsOf } from '../json.ts';
import { type PromptBlock, toPromptBlock } from '../reply/prompt.ts';
import { blocksOf } from './content.ts';

/** A prompt in the order in which it is read and cached: tools, system, messages. */
export function toBlocks(body: JsonObject): PromptBlock[] {
  const system = body['system'] === undefined ? [] : blocksOf(body['system']);
  const messages = objectsOf(body['messages']).flatMap(({ role, content }) =>
    blocksOf(content).map((block) => ({ role, block })),
  );
  const blocks = [
    ...[...objectsOf(body['tools']), ...system].map((block) => toPromptBlock(block, breakpointOf(block))),
    ...messages.map(({ role, block }) => toPromptBlock({ role, ...block }, breakpointOf(block))),
  ];
  const automatic = breakpointOf(body);
  const last = blocks.at(-1);
  return automatic && last ? [...blocks.slice(0, -1), { ...last, breakpoint: automatic }] : blocks;
}

function breakpointOf({ cache_control: mark }: JsonObject): '5m' | '1h' | undefined {
  if (!isObject(mark)) return undefined;
  return mark['ttl'] === '1h' ? '1h' : '5m';
}
