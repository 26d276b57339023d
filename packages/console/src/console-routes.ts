import { createHash } from 'node:crypto';
import { HTTPError, media, type Route, Type, toRoute } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import type { ConsoleFiles } from './console-files.ts';
import { fileHeaders, pageHeaders } from './console-headers.ts';
import { toConsoleHtml } from './console-html.ts';
import type { DevelopmentKey } from './development-key.ts';

/** Makes `GET /console`. Anybody gets the page: it holds no data, and does nothing without a credential. */
export function consolePageRoute(
  files: () => ConsoleFiles,
  prefix: string,
  developmentKey?: DevelopmentKey,
): Route {
  let response: RouteResponse | undefined;
  const answer = (): RouteResponse => {
    response ??= toPage(files(), prefix, developmentKey);
    return response;
  };
  return toRoute(
    'GET',
    '/console',
    { kind: 'control', answer },
    {
      plane: 'control',
      facts: { atOnce: true, client: false, reads: ifNoneMatch, sends: etag },
      summary: 'A page for operators: what runs, what waits for a decision, agents to try.',
      output: media('text/html'),
    },
  );
}

/** Makes the route of the scripts and styles of that page. */
export function consoleFileRoute(files: () => ConsoleFiles): Route {
  const answer = ({ input }: { readonly input: unknown }): RouteResponse => {
    // Validated by the schema below.
    const { version, file } = input as { readonly version: string; readonly file: string };
    const all = files();
    const found = version === all.version ? all.byName.get(file) : undefined;
    // A page of another release asks for files that are no more.
    if (!found) throw new HTTPError(404, 'the console has no such file: load the page again');
    return new RouteResponse(200, { kind: 'bytes', ...found }, fileHeaders);
  };
  return toRoute(
    'GET',
    '/console/{version}/{file}',
    { kind: 'control', answer },
    {
      plane: 'control',
      input: { version: Type.String({ maxLength: 64 }), file: Type.String({ maxLength: 64 }) },
      facts: { client: false, fails: [404] },
      summary: 'Scripts and styles of the console.',
      output: media('*/*'),
    },
  );
}

function toPage({ version }: ConsoleFiles, prefix: string, developmentKey?: DevelopmentKey): RouteResponse {
  const bytes = Buffer.from(toConsoleHtml(version, prefix, developmentKey));
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return new RouteResponse(
    200,
    { kind: 'bytes', bytes, mediaType: 'text/html; charset=utf-8' },
    { ...pageHeaders, etag: `"${tag}"` },
  );
}
