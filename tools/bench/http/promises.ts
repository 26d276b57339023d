import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import { createIds } from '@waymark/core-routes';
import { createLog } from '@waymark/http';
import { protective } from './headers.ts';

/** A request under way, and what its log line will say. */
export interface Promised {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly id: string;
  readonly path: string;
  readonly search: string;
  readonly startedMs: number;
  route: string | undefined;
}

/** What every request is promised, written as plainly as somebody would who has read what it costs. */
export interface Promises {
  /** @returns undefined where the request is refused and answered */
  begin(req: IncomingMessage, res: ServerResponse): Promised | undefined;
  readJson(visit: Promised, next: (visit: Promised, value: unknown) => void): void;
  answer(visit: Promised, status: number, type: string, text: string): void;
  refuse(visit: Promised, status: number, detail: string): void;
}

const maxBodyBytes = 1_048_576;
const maxDepth = 64;
const deadlineMs = 30_000;
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;
const idForm = /^[\w.-]{1,128}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Ids and log lines are the product's own: they are what it promises, and nobody would write them dearer. */
export function createPromises(): Promises {
  const newId = createIds();
  const log = createLog({ level: 'info' });
  const deadlines = createDeadlines();

  function answer(visit: Promised, status: number, type: string, text: string): void {
    const { req, res, id, startedMs } = visit;
    const bytes = Buffer.byteLength(text);
    res.writeHead(status, [
      ...protective,
      ...['x-request-id', id, 'content-type', type, 'content-length', String(bytes)],
    ]);
    res.end(text);
    log('info', 'request', {
      request_id: id,
      method: req.method,
      path: visit.path,
      route: visit.route,
      status,
      principal: 'anonymous',
      bytes,
      duration_ms: Math.round((performance.now() - startedMs) * 1000) / 1000,
    });
  }

  function refuse(visit: Promised, status: number, detail: string): void {
    const problem = {
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      detail,
      request_id: visit.id,
    };
    answer(visit, status, 'application/problem+json', JSON.stringify(problem));
  }

  return {
    answer,
    refuse,
    begin(req, res) {
      const { url = '/', headers } = req;
      const mark = url.indexOf('?');
      const given = headers['x-request-id'];
      const visit: Promised = {
        ...{ req, res, startedMs: performance.now(), route: undefined },
        id: typeof given === 'string' && idForm.test(given) ? given : newId(),
        path: mark === -1 ? url : url.slice(0, mark),
        search: mark === -1 ? '' : url.slice(mark + 1),
      };
      if (!hasOneHost(req.rawHeaders) || !hostForm.test(headers.host ?? ''))
        refuse(visit, 400, 'a request needs one Host header');
      else if (isForeign(req)) refuse(visit, 403, 'requests from pages of other origins are not allowed');
      else return visit;
      return undefined;
    },
    readJson(visit, next) {
      const { req } = visit;
      const { 'content-type': type, 'content-encoding': encoding = 'identity' } = req.headers;
      if (type === undefined || !/^application\/json\s*(?:;|$)/i.test(type))
        return refuse(visit, 415, 'the body must be application/json');
      if (encoding !== 'identity') return refuse(visit, 415, 'the body must not be encoded');
      const chunks: Buffer[] = [];
      let length = 0;
      let over = false;
      const end = (status: number, detail: string): void => {
        if (over) return;
        over = true;
        cancel();
        refuse(visit, status, detail);
      };
      const cancel = deadlines.add(() => end(408, 'the body did not arrive in time'));
      req.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxBodyBytes) end(413, 'the body is too large');
        else chunks.push(chunk);
      });
      req.on('end', () => {
        if (over) return;
        over = true;
        cancel();
        const read = readText(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
        if ('refusal' in read) refuse(visit, 400, read.refusal);
        else next(visit, read.value);
      });
      req.on('close', cancel);
    },
  };
}

function hasOneHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  return hosts === 1;
}

/** What changes something is not taken from a page of another origin. */
function isForeign({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && origin !== `http://${headers.host}`;
}

function readText(bytes: Buffer): { readonly value: unknown } | { readonly refusal: string } {
  try {
    const text = utf8.decode(bytes);
    if (isTooDeep(text)) return { refusal: `the body is nested deeper than ${maxDepth} levels` };
    const value: unknown = JSON.parse(text);
    if (text.includes('__proto__') && hasProto(value)) return { refusal: 'the body holds a "__proto__" key' };
    return { value };
  } catch {
    return { refusal: 'the body is not JSON in UTF-8' };
  }
}

/** Braces in texts count too, as long as there are few: then none can be too deep. */
function isTooDeep(text: string): boolean {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) opened++;
  }
  return opened > maxDepth && depthOf(text) > maxDepth;
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g))
    if (mark === '{' || mark === '[') deepest = Math.max(deepest, ++depth);
    else if (mark === '}' || mark === ']') depth--;
  return deepest;
}

function hasProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto);
}

/** All of them from one timer. */
function createDeadlines(): { add(onTime: () => void): () => void } {
  const waiting = new Map<() => void, number>();
  setInterval(() => {
    const nowMs = performance.now();
    for (const [onTime, dueMs] of waiting) {
      if (dueMs > nowMs) break;
      waiting.delete(onTime);
      onTime();
    }
  }, 250).unref();
  return {
    add(onTime) {
      waiting.set(onTime, performance.now() + deadlineMs);
      return () => void waiting.delete(onTime);
    },
  };
}
