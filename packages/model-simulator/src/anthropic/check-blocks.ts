import { isObject, type JsonObject, textOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { imageTypeOf, imageTypes, isBase64 } from '../request/image-type.ts';
import { refuse } from './refuse.ts';
import { signatureOf } from './signature.ts';

const maxImageBase64 = 5 * 1024 * 1024;

interface Place {
  readonly role: 'user' | 'assistant' | 'system';
  /** The content: `messages.3.content`. */
  readonly at: string;
  readonly quirks: ReadonlySet<Quirk>;
  readonly isNew: boolean;
}

const userBlocks = ['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload'];

/**
 * Checks the blocks of a message. In messages of the assistant kinds that nobody knows are fine: it may have said them
 * itself. @throws {Refusal}
 */
export function checkBlocks(blocks: readonly unknown[], place: Place): void {
  blocks.forEach((block, index) => {
    checkBlock(block, { ...place, at: `${place.at}.${index}` });
  });
}

function checkBlock(block: unknown, place: Place): void {
  const { role, at, isNew } = place;
  if (!isObject(block)) throw refuse(`${at}: Input should be a valid dictionary`);
  const type = block['type'];
  if (typeof type !== 'string') throw refuse(`${at}.type: Field required`);
  if (type === 'text') {
    checkText(block, at);
    return;
  }
  if (role === 'system') throw refuse(`${at}: Input tag '${type}' found using 'type' does not match 'text'`);
  if (role === 'user') {
    if (!userBlocks.includes(type)) {
      const tags = userBlocks.map((one) => `'${one}'`).join(', ');
      throw refuse(
        `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`,
      );
    }
    if (type === 'image') checkImage(block, at, place.quirks);
    if (type === 'tool_result') checkResult(block, place);
    return;
  }
  if (type === 'tool_use') checkCall(block, at);
  if (type === 'thinking' && block['signature'] !== signatureOf(textOf(block['thinking']))) {
    throw refuse(`${at}: Invalid \`signature\` in \`thinking\` block`);
  }
  const misplaced = ['tool_result', 'image', ...(isNew ? ['document'] : [])];
  if (misplaced.includes(type)) throw refuse(`${at}: \`${type}\` blocks can only be in \`user\` messages`);
}

function checkText({ text }: JsonObject, at: string): void {
  if (typeof text !== 'string') throw refuse(`${at}.text.text: Input should be a valid string`);
  if (text === '') throw refuse('messages: text content blocks must be non-empty');
}

function checkCall({ id, name, input }: JsonObject, at: string): void {
  if (typeof id !== 'string') throw refuse(`${at}.tool_use.id: Field required`);
  if (!/^[a-zA-Z0-9_-]+$/.test(id)) {
    throw refuse(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  if (typeof name !== 'string') throw refuse(`${at}.tool_use.name: Field required`);
  if (!isObject(input)) throw refuse(`${at}.tool_use.input: Input should be a valid dictionary`);
}

function checkResult({ tool_use_id: id, content }: JsonObject, { at, quirks }: Place): void {
  if (typeof id !== 'string') throw refuse(`${at}.tool_result.tool_use_id: Field required`);
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(`${at}.tool_result.content: Input should be a valid list`);
  content.forEach((block: unknown, index) => {
    const inner = `${at}.tool_result.content.${index}`;
    const type = isObject(block) ? textOf(block['type']) : '';
    const tags = ['text', 'image', 'document', 'search_result', 'tool_reference'];
    if (!isObject(block) || !tags.includes(type)) {
      throw refuse(
        `${inner}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.map((one) => `'${one}'`).join(', ')}`,
      );
    }
    if (type === 'text') checkText(block, inner);
    if (type === 'image' && quirks.has('refuse_tool_images')) {
      throw refuse(`${inner}: images in tool results are not supported`);
    }
    if (type === 'image') checkImage(block, inner, quirks);
  });
}

function checkImage({ source }: JsonObject, at: string, quirks: ReadonlySet<Quirk>): void {
  const { type, media_type: given, data } = isObject(source) ? source : {};
  if (type === 'url' && !quirks.has('refuse_image_urls')) return;
  if (type === 'file') return;
  if (type !== 'base64') throw refuse(`${at}.image.source: Input tag '${String(type)}' is not supported`);
  if (!imageTypes.includes(textOf(given))) {
    const types = imageTypes.map((one) => `'${one}'`).join(', ');
    throw refuse(`${at}.image.source.base64.media_type: Input should be ${types}`);
  }
  if (typeof data !== 'string' || !isBase64(data))
    throw refuse(`${at}.image.source.base64.data: invalid base64 data`);
  if (data.length > maxImageBase64) {
    throw refuse(
      `${at}.image.source.base64: image exceeds 5 MB maximum: ${data.length} bytes > ${maxImageBase64} bytes`,
    );
  }
  const actual = imageTypeOf(data);
  if (actual === undefined) throw refuse(`${at}.image.source.base64.data: Could not process image`);
  if (actual !== given) {
    throw refuse(
      `${at}.image.source.base64.data: The image was specified using the ${textOf(given)} media type, but the image appears to be a ${actual} image`,
    );
  }
}
