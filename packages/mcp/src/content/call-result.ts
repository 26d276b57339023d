import { STATUS_CODES } from 'node:http';
import type { Values } from '@waymark/contract';
import type { Awaitable, RouteResponse } from '@waymark/contract/engine';
import { isJsonType, textOf } from '@waymark/contract/route';
import { unkeptNumber, withoutSpace } from '@waymark/contract/text';
import {
  approvalRequired,
  isTooDeep,
  maxToolBytes,
  type ReadAnswer,
  readAnswer,
  tooDeepAnswer,
  tooLargeAnswer,
  toolFailure,
  unkeptAnswer,
  type WholeBody,
} from '@waymark/contract/tools';
import type { Dialect } from '../protocol/dialect.ts';
import type { Structure } from '../tools/tool-catalogue.ts';
import { bytesItem, textItem } from './content.ts';
import { moreItem } from './more-item.ts';
import { placeItem } from './place-item.ts';
import { mayHoldMarkers, valueItems } from './value-items.ts';

type BytesBody = Extract<WholeBody, { kind: 'bytes' }>;
type Failure = Extract<ReadAnswer, { ok: false }>;

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
export function toCallResult(response: RouteResponse, called: Called): Awaitable<string> {
  const answer = readAnswer(response, called.signal);
  return answer instanceof Promise
    ? answer.then((read) => worded(read, response, called))
    : worded(answer, response, called);
}

function worded(answer: ReadAnswer, { headers }: RouteResponse, called: Called): string {
  const { name, values } = called;
  const { status } = answer;
  const place = placeItem(status, headers);
  if (!answer.ok) return failed(failureOf(answer, called), place);
  if (answer.body.kind === 'bytes') return bytesResult(answer.body, called);
  // Models' APIs refuse empty text, and an empty answer reads as null to every caller by name.
  const text = answer.body.kind === 'json' ? answer.body.text : 'null';
  return jsonResult(text, called, place ?? moreItem(headers['link'], name, values));
}

/** What a failed tool says: without words of its own, the phrase of its status. */
function failureOf(answer: Failure, { name, onError }: Called): string {
  const { status, message = STATUS_CODES[status] ?? 'error', code, cause } = answer;
  if (cause !== undefined) {
    onError(cause);
    return toolFailure(name, 500, 'internal error');
  }
  return code === approvalRequired ? message : toolFailure(name, status, message);
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

/** @param text JSON @param more an item that comes last */
function jsonResult(text: string, called: Called, more?: string): string {
  if (isTooDeep(text)) return failedCall(called.name, tooDeepAnswer.status, tooDeepAnswer.message);
  // Programs read structured content, and most of them numbers as we do; without it clients refuse a tool that declares some.
  const unkept = isStructured(called) ? unkeptNumber(text, 'integers') : undefined;
  if (unkept !== undefined) {
    const { status, message } = unkeptAnswer(unkept);
    return failedCall(called.name, status, message);
  }
  const items = more === undefined ? jsonItems(text, called) : `${jsonItems(text, called)},${more}`;
  return `{"content":[${items}]${structured(text, called)},"isError":false}`;
}

/** Most values are shown as they came; only strings (unquoted) and markers (taken out) need to be parsed. */
function jsonItems(text: string, { name, dialect }: Called): string {
  if (!text.startsWith('"') && !mayHoldMarkers(text)) return textItem(text);
  if (unkeptNumber(text, 'any') !== undefined) return textItem(text);
  return valueItems(text, { tool: name, links: dialect.links }).join();
}

/** The value whole, markers included: it is for programs. A value that is no object where one was declared is left out. */
function structured(text: string, called: Called): string {
  const { structure } = called;
  if (!isStructured(called)) return '';
  if (structure === 'wrapped') return `,"structuredContent":{"result":${text}}`;
  return text.startsWith('{') ? `,"structuredContent":${text}` : '';
}

function isStructured({ structure, dialect }: Called): boolean {
  return dialect.structured && structure !== 'none';
}

function bytesResult({ bytes, mediaType }: BytesBody, called: Called): string {
  const { name } = called;
  if (bytes.length > maxToolBytes) return failedCall(name, tooLargeAnswer.status, tooLargeAnswer.message);
  const json = isJsonType(mediaType) ? compacted(textOf(bytes, mediaType)) : undefined;
  if (json !== undefined) return jsonResult(json, called);
  return `{"content":[${bytesItem(bytes, mediaType, name)}],"isError":false}`;
}

/**
 * Bytes that only claim to be JSON must not end up inside ours. A number that we would write otherwise stays as it came, and so
 * does what is too deep to be told.
 */
function compacted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(text)) return text;
    return unkeptNumber(text, 'any') === undefined ? JSON.stringify(value) : withoutSpace(text);
  } catch {
    return undefined;
  }
}
