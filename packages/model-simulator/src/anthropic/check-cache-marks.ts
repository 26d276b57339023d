import { isObject, type JsonObject, objectsOf } from '../json.ts';
import { blocksOf } from './content.ts';
import { refuse } from './refuse.ts';

const maxBreakpoints = 4;

/** Checks where a prompt wants to be cached: 4 places at most, those for an hour first. @throws {Refusal} */
export function checkCacheMarks(body: JsonObject): void {
  const system = body['system'] === undefined ? [] : blocksOf(body['system']);
  const blocks: readonly JsonObject[] = [
    ...objectsOf(body['tools']),
    ...system,
    ...objectsOf(body['messages']).flatMap(({ content }) => blocksOf(content)),
    { cache_control: body['cache_control'] },
  ].filter(({ cache_control: mark }) => mark !== undefined && mark !== null);
  if (blocks.length > maxBreakpoints) {
    throw refuse(
      `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${blocks.length}.`,
    );
  }
  let short = false;
  for (const { cache_control: mark, type, text } of blocks) {
    const { type: kind, ttl = '5m' } = isObject(mark) ? mark : {};
    if (kind !== 'ephemeral') throw refuse("cache_control.type: Input should be 'ephemeral'");
    if (ttl !== '5m' && ttl !== '1h')
      throw refuse("cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
    if (type === 'text' && text === '') throw refuse('cache_control cannot be set for empty text blocks');
    if (type === 'thinking') throw refuse('cache_control: Extra inputs are not permitted');
    if (ttl === '1h' && short) {
      throw refuse(
        "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
      );
    }
    short ||= ttl === '5m';
  }
}
