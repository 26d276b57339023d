import { createHash } from 'node:crypto';
import { HTTPError, media, type Route, Type, toRoute } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import { type DocsFiles, readDocsFiles } from '../docs-files.ts';
import { docsFileHeaders, docsHeaders } from './docs-headers.ts';
import { toDocsHtml } from './docs-html.ts';

/**
 * Makes `GET /docs`, the page that shows the OpenAPI document, and the route of its script, style and icon. Anybody gets
 * them: they hold no data.
 */
export function docsRoutes(read: () => DocsFiles = readDocsFiles): readonly Route[] {
  let known: DocsFiles | undefined;
  // When it is first asked for: most servers never are.
  const files = (): DocsFiles => {
    known ??= read();
    return known;
  };
  return [docsPageRoute(files), docsFileRoute(files)];
}

function docsPageRoute(files: () => DocsFiles): Route {
  let response: RouteResponse | undefined;
  const answer = (): RouteResponse => {
    response ??= toPage(files());
    return response;
  };
  return toRoute(
    'GET',
    '/docs',
    { kind: 'control', answer },
    {
      plane: 'control',
      facts: { atOnce: true, client: false, reads: ifNoneMatch, sends: etag },
      summary: 'A page of the OpenAPI document, which makes calls too.',
      output: media('text/html'),
    },
  );
}

function docsFileRoute(files: () => DocsFiles): Route {
  const answer = ({ input }: { readonly input: unknown }): RouteResponse => {
    // Validated by the schema below.
    const { version, file } = input as { readonly version: string; readonly file: string };
    const all = files();
    const found = version === all.version ? all.byName.get(file) : undefined;
    // A page of another release asks for files that are no more.
    if (!found) throw new HTTPError(404, 'the page has no such file: load it again');
    return new RouteResponse(200, { kind: 'bytes', ...found }, docsFileHeaders);
  };
  return toRoute(
    'GET',
    '/docs/{version}/{file}',
    { kind: 'control', answer },
    {
      plane: 'control',
      input: { version: Type.String({ maxLength: 64 }), file: Type.String({ maxLength: 64 }) },
      facts: { client: false, fails: [404] },
      summary: 'Scripts and styles of that page.',
      output: media('*/*'),
    },
  );
}

function toPage({ version }: DocsFiles): RouteResponse {
  const bytes = Buffer.from(toDocsHtml(version));
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return new RouteResponse(
    200,
    { kind: 'bytes', bytes, mediaType: 'text/html; charset=utf-8' },
    { ...docsHeaders, etag: `"${tag}"` },
  );
}
