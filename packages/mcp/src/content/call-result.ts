import { STATUS_CODES } from 'node:http';
import {
  type Awaitable,
  approvalRequired,
  type Body,
  drain,
  HTTPError,
  maxToolBytes,
  type RouteResponse,
  toolFailure,
  type Values,
} from '@waymark/contract';
import type { Dialect } from '../protocol/dialect.ts';
import type { Structure } from '../tools/tool-catalogue.ts';
import { bytesItem, isJsonType, isTextType, textItem, textOf } from './content.ts';
import { moreItem } from './more-item.ts';
import { placeItem } from './place-item.ts';
import { mayHoldMarkers, valueItems } from './value-items.ts';

type BytesBody = Extract<Body, { kind: 'bytes' }>;
type StreamBody = Extract<Body, { kind: 'stream' }>;

/** The call that a response answers. */
export interface Called {
  readonly name: string;
  readonly values: Values;
  readonly structure: Structure;
  readonly dialect: Dialect;
  /** Asked only where the answer takes time to read. */
  readonly signal: () => AbortSignal | undefined;
  readonly onError: (cause: unknown) => void;
}

/**
 * The result of `tools/call` for a response, as JSON text. Never rejects: once a tool was found, it is the tool that
 * fails.
 */
export function toCallResult({ status, headers, body }: RouteResponse, called: Called): Awaitable<string> {
  const { name, values } = called;
  if (body.kind === 'problem') {
    const { detail, code } = body;
    const text = code === approvalRequired ? detail : toolFailure(name, status, detail);
    return failed(text, placeItem(status, headers));
  }
  if (body.kind === 'stream') return drained(status, body, called);
  if (status >= 400) return failedCall(name, status, messageOf(status, body));
  if (body.kind === 'bytes') return bytesResult(body, called);
  // Models' APIs refuse empty text, and an empty answer reads as null to every caller by name.
  const text = body.kind === 'json' ? body.text : 'null';
  const more = placeItem(status, headers) ?? moreItem(headers['link'], name, values);
  return jsonResult(text, called, more);
}

/** The result for a tool that failed, in the specification's words. */
export function failedCall(name: string, status: number, message: string): string {
  return failed(toolFailure(name, status, message));
}

/** @param more an item that comes last */
function failed(text: string, more?: string): string {
  const items = more === undefined ? textItem(text) : `${textItem(text)},${more}`;
  return `{"content":[${items}],"isError":true}`;
}

/** What to read of an error that is no problem document: the handler's own words, else the phrase of the status. */
function messageOf(status: number, body: Exclude<Body, { kind: 'problem' | 'stream' }>): string {
  if (body.kind === 'json') return body.text.startsWith('"') ? String(JSON.parse(body.text)) : body.text;
  const isText = body.kind === 'bytes' && (isTextType(body.mediaType) || isJsonType(body.mediaType));
  return isText ? textOf(body.bytes) : (STATUS_CODES[status] ?? 'error');
}

/** @param text JSON @param more an item that comes last */
function jsonResult(text: string, called: Called, more?: string): string {
  const items = more === undefined ? jsonItems(text, called) : `${jsonItems(text, called)},${more}`;
  return `{"content":[${items}]${structured(text, called)},"isError":false}`;
}

/** Most values are shown as they came; only strings (unquoted) and markers (taken out) need to be parsed. */
function jsonItems(text: string, { name, dialect }: Called): string {
  if (!text.startsWith('"') && !mayHoldMarkers(text)) return textItem(text);
  return valueItems(text, { tool: name, links: dialect.links }).join();
}

/** The value whole, markers included: it is for programs. A value that is no object where one was declared is left out. */
function structured(text: string, { structure, dialect }: Called): string {
  if (!dialect.structured || structure === 'none') return '';
  if (structure === 'wrapped') return `,"structuredContent":{"result":${text}}`;
  return text.startsWith('{') ? `,"structuredContent":${text}` : '';
}

function bytesResult({ bytes, mediaType }: BytesBody, called: Called): string {
  const { name } = called;
  if (bytes.length > maxToolBytes) return tooLarge(name);
  const json = isJsonType(mediaType) ? compacted(textOf(bytes)) : undefined;
  if (json !== undefined) return jsonResult(json, called);
  return `{"content":[${bytesItem(bytes, mediaType, name)}],"isError":false}`;
}

/** Bytes that only claim to be JSON must not end up inside ours. */
function compacted(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function tooLarge(name: string): string {
  return failedCall(name, 502, `the answer is larger than ${maxToolBytes} bytes`);
}

async function drained(status: number, streamed: StreamBody, called: Called): Promise<string> {
  const { name, signal, onError } = called;
  try {
    const bytes = await drain(streamed, maxToolBytes, signal());
    if (!bytes) return tooLarge(name);
    const body: BytesBody = { kind: 'bytes', bytes, mediaType: streamed.mediaType };
    return status < 400 ? bytesResult(body, called) : failedCall(name, status, messageOf(status, body));
  } catch (cause) {
    if (cause instanceof HTTPError) return failedCall(name, cause.status, cause.message);
    onError(cause);
    return failedCall(name, 500, 'internal error');
  }
}
