import { isObject, textOf } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { imageTypeOf, imageTypes, isBase64 } from '../request/image-type.ts';
import { refuse } from './refuse.ts';

const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
};

interface Place {
  readonly role: string;
  /** The message: `messages[3]`. */
  readonly at: string;
  readonly quirks: ReadonlySet<Quirk>;
}

/** Checks a content that is a list of parts. @throws {Refusal} */
export function checkParts(content: unknown, place: Place): void {
  const { role, at, quirks } = place;
  if (!Array.isArray(content)) {
    const message = `Invalid type for '${at}.content': expected one of a string or array of objects.`;
    throw refuse(message, `${at}.content`, 'invalid_type');
  }
  if (content.length === 0)
    throw refuse(`Invalid '${at}.content': empty array.`, `${at}.content`, 'empty_array');
  content.forEach((part: unknown, index) => {
    const type = isObject(part) ? textOf(part['type']) : '';
    const param = `${at}.content[${index}]`;
    const allowed =
      role === 'tool' && quirks.has('accept_tool_images') ? ['text', 'image_url'] : partTypes[role];
    if (!isObject(part) || !allowed?.includes(type)) throw wrongPart(type, param, place);
    if (type === 'text' && typeof part['text'] !== 'string') {
      throw refuse(
        `Missing required parameter: '${param}.text'.`,
        `${param}.text`,
        'missing_required_parameter',
      );
    }
    if (type === 'image_url') checkImage(part['image_url'], `${param}.image_url`, quirks);
  });
}

function wrongPart(type: string, param: string, { role, at }: Place) {
  if (type === 'image_url') {
    const message = `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
    return refuse(message, at, 'invalid_value');
  }
  const words = (partTypes[role] ?? []).map((one) => `'${one}'`).join(', ');
  return refuse(
    `Invalid value: '${type}'. Supported values are: ${words}.`,
    `${param}.type`,
    'invalid_value',
  );
}

function checkImage(image: unknown, param: string, quirks: ReadonlySet<Quirk>): void {
  const url = isObject(image) ? image['url'] : undefined;
  if (typeof url !== 'string') {
    throw refuse(`Missing required parameter: '${param}.url'.`, `${param}.url`, 'missing_required_parameter');
  }
  if (/^https?:\/\//.test(url)) {
    if (quirks.has('refuse_image_urls')) throw refuse('invalid image input', param);
    return;
  }
  const data = /^data:image\/[a-z+.-]+;base64,/i.exec(url);
  const base64 = data ? url.slice(data[0].length) : '';
  if (!data || !isBase64(base64)) {
    throw refuse(
      `Invalid '${param}.url'. Expected a base64-encoded data URL with an image MIME type.`,
      `${param}.url`,
      'invalid_value',
    );
  }
  if (imageTypeOf(base64) === undefined) {
    const formats = imageTypes.map((type) => `'${type.slice('image/'.length)}'`).join(', ');
    const message = `You uploaded an unsupported image. Please make sure your image has of one the following formats: [${formats}].`;
    throw refuse(message, `${param}.url`, 'invalid_image_format');
  }
}
