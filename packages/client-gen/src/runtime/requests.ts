import ky, { HTTPError } from 'ky';
import {
  type BinaryBody,
  type ClientOptions,
  type JsonObject,
  ProblemError,
  type Progress,
  type ProgressOptions,
} from './options.ts';

/** How the input of one operation travels. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: readonly string[];
  /** What travels neither in path nor query is the JSON body. */
  readonly members?: true;
  /** The input that is the whole JSON body. */
  readonly content?: string;
  /** The input that is the body as it is. */
  readonly bytes?: string;
  /** The input that says what the bytes are. */
  readonly contentType?: string;
  /** Every success is JSON. */
  readonly json?: true;
  /** Tells what happens on the way to whoever asks for events. */
  readonly progress?: true;
  /** Reads only, so that asking again does no harm. */
  readonly retry?: true;
  /** The service's own, and a little more, so that its 504 comes first. */
  readonly timeoutMs: number;
}

export type BytesOfFetch = Uint8Array<ArrayBuffer>;

export const eventStream = 'text/event-stream';
export const longestTimeoutMs = 2_147_483_647;
/** What one answer, or one event, may be unless it is told otherwise. */
export const usualMaxBytes = 64 * 1024 * 1024;
export const retry = {
  limit: 2,
  methods: ['get'],
  statusCodes: [429, 502, 503],
  afterStatusCodes: [429, 503],
  maxRetryAfter: 5_000,
  backoffLimit: 2_000,
  jitter: true,
};

/** Makes what makes a method of each operation. */
export function connect(client: ClientOptions) {
  return <I, O>(operation: Operation) =>
    async (input?: I, options: ProgressOptions = {}): Promise<O> => {
      // The route table says what the service takes and answers; this is where its word becomes a type.
      const values = (input ?? {}) as JsonObject;
      return (await send(client, operation, values, options)) as O;
    };
}

export async function send(
  client: ClientOptions,
  operation: Operation,
  values: JsonObject,
  options: ProgressOptions,
): Promise<unknown> {
  return toResult(operation, await request(client, operation, values, options), options.onProgress);
}

/** An answer of which no more is read than there is room for. */
export interface ReadAnswer {
  readonly response: Response;
  readonly maxBytes: number;
}

export async function request(
  client: ClientOptions,
  operation: Operation,
  values: JsonObject,
  options: ProgressOptions,
): Promise<ReadAnswer> {
  const url = String(client.baseUrl).replace(/\/+$/, '') + toTarget(operation, values);
  const headers = await toHeaders(client, operation, values, options);
  const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? operation.timeoutMs;
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, longestTimeoutMs));
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  const body = toBody(operation, values);
  try {
    const response = await ky(url, {
      method: operation.method,
      headers,
      signal,
      // Followed to another origin, a redirect would take the key along.
      redirect: 'manual',
      timeout: false,
      retry: operation.retry ? retry : 0,
      ...(body !== undefined && { body }),
      // A request alone follows its signal no longer than somebody holds it, and nobody does while its answer is read.
      fetch: (asked, init) => (client.fetch ?? fetch)(asked, { ...init, signal }),
    });
    return { response, maxBytes: options.maxResponseBytes ?? client.maxResponseBytes ?? usualMaxBytes };
  } catch (error) {
    if (error instanceof HTTPError) throw new ProblemError(error.response, error.data);
    throw error;
  }
}

export function toTarget({ path, query = [] }: Operation, values: JsonObject): string {
  const target = path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    const value = toText(name, toOnly(name, ownOf(values, name, '')), 'path');
    return rest === '' ? toSegment(name, value) : value.split('/').map(toRestSegment(name)).join('/');
  });
  const pairs = query.flatMap((name) => {
    const value = ownOf(values, name);
    const texts = Array.isArray(value)
      ? toItems(name, value).map((item, i) => toText(`${name}[${i}]`, item, 'query'))
      : value === undefined
        ? []
        : [toText(name, value, 'query')];
    return texts.map((text) => `${encodeURIComponent(name)}=${encode(name, text)}`);
  });
  return pairs.length === 0 ? target : `${target}?${pairs.join('&')}`;
}

/** What was given: an input may be called `constructor`, which every object has besides. */
function ownOf(values: JsonObject, name: string, otherwise?: string): unknown {
  const given = Object.hasOwn(values, name) ? values[name] : undefined;
  return given === undefined ? otherwise : given;
}

/** A path has room for one value, where a query has it for all of a list. */
function toOnly(name: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  if (value.length !== 1) throw new TypeError(`"${name}" cannot be a list of ${value.length} in a path`);
  return value[0];
}

/** A query has no word for a list without items: it would be left out, which means another thing. */
function toItems(name: string, list: readonly unknown[]): readonly unknown[] {
  if (list.length === 0) throw new TypeError(`"${name}" cannot be a list of 0 in a query`);
  return list;
}

/** No text is `null`: a service would take it for the word. */
export function toText(name: string, value: unknown, place: 'path' | 'query' | 'header'): string {
  if (value === null || value === undefined)
    throw new TypeError(`"${name}" cannot be ${value} in a ${place}`);
  return String(value);
}

/** Dot segments cannot be sent: every URL parser takes them out, encoded or not, and another route would answer. */
export function toSegment(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${name}" cannot be "${value}" in a path`);
  return encode(name, value);
}

/** Half of a character, as a cut in the middle of one leaves it, has no bytes that could be sent. */
export function encode(name: string, value: string): string {
  if (/\p{Surrogate}/u.test(value))
    throw new TypeError(`"${name}" holds half of a character (a lone surrogate)`);
  return encodeURIComponent(value);
}

export function toRestSegment(name: string): (value: string) => string {
  return (value) => (value === '' ? '' : toSegment(name, value));
}

export async function toHeaders(
  client: ClientOptions,
  { members, content, bytes, contentType, json, progress }: Operation,
  values: JsonObject,
  options: ProgressOptions,
): Promise<Headers> {
  const headers = new Headers(json ? { accept: 'application/json' } : {});
  const set = (name: string, value: unknown, told = name, before = ''): void => {
    const text = before + toText(told, value, 'header');
    try {
      headers.set(name, text);
    } catch {
      // The error of the platform quotes the value, which may be a credential.
      throw new TypeError(`"${told}" cannot be sent in a header`);
    }
  };
  if (progress && options.onProgress) headers.set('accept', eventStream);
  for (const [name, value] of Object.entries(client.headers ?? {})) set(name, value);
  if (client.apiKey !== undefined) set('x-api-key', client.apiKey, 'apiKey');
  const token = typeof client.token === 'function' ? await client.token() : client.token;
  if (token !== undefined) set('authorization', token, 'token', 'Bearer ');
  for (const [name, value] of Object.entries(options.headers ?? {})) set(name, value);
  if (members || content !== undefined) headers.set('content-type', 'application/json');
  const given = contentType === undefined ? undefined : values[contentType];
  const raw = bytes === undefined ? undefined : values[bytes];
  if (contentType !== undefined && given !== undefined) set('content-type', given, contentType);
  else if (raw instanceof Uint8Array || raw instanceof ArrayBuffer)
    headers.set('content-type', 'application/octet-stream');
  return headers;
}

export function toBody({ path, query = [], members, content, bytes }: Operation, values: JsonObject) {
  // A Uint8Array may also lie in shared memory; `fetch` itself refuses that.
  if (bytes !== undefined) return values[bytes] as Exclude<BinaryBody, Uint8Array> | BytesOfFetch | undefined;
  if (content !== undefined) return toJsonText(content, values[content]);
  if (!members) return undefined;
  const elsewhere = (name: string): boolean =>
    query.includes(name) || path.includes(`{${name}}`) || path.includes(`{${name}*}`);
  const inBody = Object.entries(values).filter(([name]) => !elsewhere(name));
  return toJsonText('', Object.fromEntries(inBody));
}

/** JSON has no NaN and nothing infinite, and would say null instead: only where it says so is it looked for. */
export function toJsonText(name: string, value: unknown): string {
  const text = JSON.stringify(value);
  const refuse = (key: string, item: unknown): unknown => {
    if (typeof item !== 'number' || Number.isFinite(item)) return item;
    throw new TypeError(`"${key || name}" cannot be ${item} in JSON`);
  };
  if (text?.includes('null')) JSON.stringify(value, refuse);
  return text;
}

export async function toResult(
  { json, progress }: Operation,
  answer: ReadAnswer,
  onProgress: ProgressOptions['onProgress'],
): Promise<unknown> {
  const { response } = answer;
  if (response.status === 204 || response.status === 205) return undefined;
  const mediaType = mediaTypeOf(answer);
  if (progress && onProgress && mediaType === eventStream) return toLastEvent(answer, onProgress);
  const isJson = mediaType === 'application/json' || mediaType.endsWith('+json');
  if (json || isJson) {
    const text = await readText(answer);
    const received = mediaType === '' ? 'an answer without a content type' : mediaType;
    const refusal = isJson ? `the answer is not JSON: ${broken}` : `expected JSON, received ${received}`;
    return text === '' && !json ? undefined : parse(text, response, refusal);
  }
  if (mediaType.startsWith('text/')) return readText(answer);
  const bytes = await readBytes(answer);
  return bytes.length === 0 && mediaType === '' ? undefined : bytes;
}

export function mediaTypeOf({ response: { headers } }: ReadAnswer): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export async function readText(answer: ReadAnswer): Promise<string> {
  return new TextDecoder().decode(await readBytes(answer));
}

export async function readBytes(answer: ReadAnswer): Promise<BytesOfFetch> {
  const gathered = new GatheredBytes('the answer', answer.maxBytes);
  for await (const piece of readPieces(answer)) gathered.add(piece);
  return gathered.take();
}

/** Whoever does not read to the end lets go of the connection. */
export async function* readPieces({ response: { body } }: ReadAnswer): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) yield read.value;
  } finally {
    await reader?.cancel();
  }
}

/** Bytes in one piece, however small those are in which they come, up to a limit. */
export class GatheredBytes {
  readonly #what: string;
  readonly #maxBytes: number;
  #bytes: BytesOfFetch = new Uint8Array();
  #length = 0;

  constructor(what: string, maxBytes: number) {
    this.#what = what;
    this.#maxBytes = maxBytes;
  }

  /** @throws {RangeError} more than there is room for */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#maxBytes)
      throw new RangeError(`${this.#what} is longer than ${this.#maxBytes} bytes (maxResponseBytes)`);
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(2 * length, this.#maxBytes));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  endsWith(byte: number): boolean {
    return this.#length > 0 && this.#bytes[this.#length - 1] === byte;
  }

  take(): BytesOfFetch {
    const bytes = this.#bytes.slice(0, this.#length);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return bytes;
  }
}

export const broken = 'it is broken off or malformed';

export function parse(text: string, response: Response, refusal: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError(response, text, refusal);
  }
}

export function parseData(data: string, { response }: ReadAnswer): unknown {
  return parse(data, response, `the data of an event is not JSON: ${broken}`);
}

/** The result, or the error, that ends the events of an answer. */
export async function toLastEvent(answer: ReadAnswer, tell: (progress: Progress) => void): Promise<unknown> {
  for await (const { event, data, id } of readEvents(answer)) {
    const value = parseData(data, answer);
    if (event === 'result' || event === 'error') return toEnd(event, value, answer);
    tell({ event, data: value, id });
  }
  throw withoutEnd(answer);
}

export function toEnd(event: 'result' | 'error', value: unknown, { response }: ReadAnswer): unknown {
  const last = value as { readonly status: number; readonly body?: unknown };
  if (event === 'result' && last.status < 400) return last.body;
  const failure = { status: last.status, statusText: '', headers: response.headers };
  throw new ProblemError(failure, event === 'error' ? last : last.body);
}

export function withoutEnd({ response }: ReadAnswer): ProblemError {
  return new ProblemError(response, undefined, 'the events ended without a result');
}

export const lineEnd = 10;

export interface ReadEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Events as the service writes them; comments, which only keep the connection alive, are skipped. */
export async function* readEvents(answer: ReadAnswer): AsyncGenerator<ReadEvent> {
  const gathered = new GatheredBytes('an event', answer.maxBytes);
  for await (const piece of readPieces(answer)) {
    let begin = 0;
    for (let i = piece.indexOf(lineEnd); i !== -1; i = piece.indexOf(lineEnd, i + 1)) {
      // An empty line ends an event; it may have begun in an earlier piece.
      if (i > begin ? piece[i - 1] !== lineEnd : !gathered.endsWith(lineEnd)) continue;
      gathered.add(piece.subarray(begin, i));
      begin = i + 1;
      const block = new TextDecoder().decode(gathered.take());
      if (!block.startsWith(':')) yield toEvent(block);
    }
    gathered.add(piece.subarray(begin));
  }
}

export function toEvent(block: string): ReadEvent {
  const lines = block.split('\n');
  const all = (field: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
  const [event = ''] = all('event');
  const [id] = all('id');
  return { event, data: all('data').join('\n'), id };
}
