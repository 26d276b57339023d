import { HTTPError, type RouteRequest } from '@waymark/contract';
import { type Body, type Engine, type EngineContext, RouteResponse } from '@waymark/contract/engine';
import { type FileAnswer, toFileAnswer } from './file-answer.ts';
import { toFileFailure } from './file-failure.ts';
import { toWantedFile, type WantedFile } from './file-segments.ts';
import { fileBytes, fileStream } from './file-stream.ts';
import { type HostFiles, isHostFile } from './host-files.ts';
import { openFile } from './open-file.ts';
import type { OpenedFile } from './opened-file.ts';

/** A directory to serve. */
export interface Served {
  /** The path of the mount, without a slash at its end. */
  readonly mount: string;
  /** The real path of the directory; it is there from the boot on. */
  readonly root: () => string;
  readonly index: string | undefined;
  readonly cacheControl: string;
  /** What is never served, under whatever name. */
  readonly keeps: readonly HostFiles[];
}

/** Makes the engine that answers with the files of a directory. */
export function filesEngine(served: Served): Engine {
  return { kind: 'files', answer: (context) => answer(served, context) };
}

async function answer(served: Served, context: EngineContext): Promise<RouteResponse> {
  const { request } = context;
  const wanted = toWantedFile(request.path, served.mount.split('/').length - 1);
  if (!wanted) throw absent();
  const name = nameOf(wanted, served.index);
  if (name === undefined) throw absent();
  const found = await openFile(served.root(), name);
  if (found.kind === 'directory' && served.index !== undefined && !wanted.directory)
    return toDirectory(served, wanted, request);
  if (found.kind !== 'file') throw absent();
  if (isHostFile(found.file.stats, served.keeps)) {
    found.file.close();
    throw absent();
  }
  return send(found.file, name.at(-1) ?? '', served, context);
}

/** The names to the file that is meant; undefined where a directory is meant that has no index. */
function nameOf(
  { segments, directory }: WantedFile,
  index: string | undefined,
): readonly string[] | undefined {
  if (!directory) return segments;
  return index === undefined ? undefined : [...segments, index];
}

/** Up to here a file is one write with its head instead of a stream, which costs several times as much. */
const wholeBytes = 65_536;

async function send(
  file: OpenedFile,
  name: string,
  { cacheControl }: Served,
  { request, signal }: EngineContext,
): Promise<RouteResponse> {
  let taken = false;
  try {
    const { status, headers, mediaType, range }: FileAnswer = toFileAnswer(
      request,
      name,
      file.stats,
      cacheControl,
    );
    if (status >= 400)
      throw new HTTPError(status, refusals[status] ?? 'the file cannot be sent so', { headers });
    if (!range) return new RouteResponse(status, { kind: 'empty' }, headers);
    // Nobody would take the stream, and close the file with it, once the call was given up.
    signal.throwIfAborted();
    const { start, length } = range;
    const respond = (body: Body): RouteResponse => new RouteResponse(status, body, headers);
    if (request.method === 'HEAD')
      return respond({ kind: 'stream', stream: new ReadableStream<Uint8Array>(), mediaType, length });
    if (length <= wholeBytes)
      return respond({ kind: 'bytes', bytes: await fileBytes(file, start, length), mediaType });
    taken = true;
    return respond({ kind: 'stream', stream: fileStream(file, start, length), mediaType, length });
  } catch (error) {
    throw toFileFailure(error);
  } finally {
    if (!taken) file.close();
  }
}

const refusals: Readonly<Record<number, string>> = {
  412: 'the file is another one by now',
  416: 'the file does not have that range',
};

function absent(): HTTPError {
  return new HTTPError(404, 'there is no such file');
}

/**
 * Sends a browser on to the path with the slash, so that relative links of the index work, and with the query, which scripts of
 * the index read. Relative, and beginning with a dot: whatever the name is, it leads nowhere else than to this host.
 */
function toDirectory({ mount }: Served, { segments }: WantedFile, { query }: RouteRequest): RouteResponse {
  const name = segments.at(-1);
  const last = name === undefined ? mount.slice(mount.lastIndexOf('/') + 1) : encodeURIComponent(name);
  const location = `./${last}/${searchOf(query)}`;
  return new RouteResponse(301, { kind: 'empty' }, { location });
}

function searchOf(query: RouteRequest['query']): string {
  const search = new URLSearchParams();
  for (const [name, given] of Object.entries(query))
    for (const value of [given].flat()) search.append(name, value);
  return search.size === 0 ? '' : `?${search.toString()}`;
}
