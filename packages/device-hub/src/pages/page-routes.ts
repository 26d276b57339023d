import { createHash } from 'node:crypto';
import { HTTPError, media, type Route, Type, toRoute } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import { type PageFiles, readPageFiles } from '../page-files.ts';
import { pathOf, type RouteParts, titleOf } from '../routes/route-parts.ts';
import { assetHeaders, toPageHeaders } from './page-headers.ts';
import { type PageName, toPageHtml } from './page-html.ts';

/**
 * Reads what pages are made of when it is first asked for: most servers never are. Two hubs of a process read it twice.
 */
export function lazyPageFiles(read: () => PageFiles = readPageFiles): () => PageFiles {
  let files: PageFiles | undefined;
  return () => {
    files ??= read();
    return files;
  };
}

/** Makes `GET view` or `GET connect` of one device. Anybody gets it: it holds no data. */
export function pageRoute(parts: RouteParts, name: PageName, files: () => PageFiles): Route {
  const { settings } = parts;
  let response: RouteResponse | undefined;
  const answer = (): RouteResponse => {
    response ??= toPage(name, files());
    return response;
  };
  return toRoute(
    'GET',
    pathOf(parts, name),
    { kind: 'device', answer },
    {
      declaredAt: settings.declaredAt,
      facts: { atOnce: true, client: false, reads: ifNoneMatch, sends: etag },
      summary:
        name === 'view'
          ? `A page that shows the ${titleOf(settings)} live.`
          : `A page that makes the camera of a browser the ${titleOf(settings)}.`,
      output: media('text/html'),
    },
  );
}

/** Makes `GET _page/…`: scripts and styles of the pages of all devices. No device has a name that begins so. */
export function pageFilesRoute(files: () => PageFiles): Route {
  const answer = ({ input }: { readonly input: unknown }): RouteResponse => {
    // Validated by the schema below.
    const { version, file } = input as { readonly version: string; readonly file: string };
    const all = files();
    const found = version === all.version ? all.byName.get(file) : undefined;
    // A page of another release asks for files that are no more.
    if (!found) throw new HTTPError(404, 'pages of devices have no such file: load the page again');
    return new RouteResponse(200, { kind: 'bytes', ...found }, assetHeaders);
  };
  return toRoute(
    'GET',
    '/devices/_page/{version}/{file}',
    { kind: 'device', answer },
    {
      input: { version: Type.String({ maxLength: 64 }), file: Type.String({ maxLength: 64 }) },
      facts: { client: false, fails: [404] },
      summary: 'Scripts and styles of the pages of devices.',
      output: media('*/*'),
    },
  );
}

function toPage(name: PageName, { version }: PageFiles): RouteResponse {
  const bytes = Buffer.from(toPageHtml(name, version));
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return new RouteResponse(
    200,
    { kind: 'bytes', bytes, mediaType: 'text/html; charset=utf-8' },
    { ...toPageHeaders(name), etag: `"${tag}"` },
  );
}
