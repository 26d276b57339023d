import { type EngineRouteOptions, media, Reply, type Route, toRoute } from '@waymark/contract';
import { isOptions, wellShaped } from '@waymark/contract/declaring';
import { type Engine, type ResponseHeaders, RouteResponse } from '@waymark/contract/engine';
import { type Method, parsePath } from '@waymark/contract/route';
import type { Part } from '../part.ts';
import { checkPage, checkPageHandler, hasContent, routeShapes } from './check-page.ts';
import type { PageDeclaration, PageRouteOptions } from './page.ts';
import { isMap, toTemplateContext } from './page-context.ts';
import type { PageHandlerDeclaration, TemplateContext } from './page-handler.ts';
import { readParams } from './page-params.ts';
import { type LoadRows, prepareRows } from './page-rows.ts';

/** Shows a template; it is there from the boot on. */
export type Show = (template: string, context: TemplateContext) => string;

/** Makes the route of a page. */
export function toPagePart({ options, declaredAt }: PageDeclaration, show: Show): Part {
  const { path, template } = options;
  const given = isOptions(options.given) ? options.given : {};
  const { sql, params, returns = 'many', bind = 'data', data, status = 200, method = 'GET' } = given;
  const read = readParams(params, pathNames(path));
  const faults = [...checkPage(options.given), ...(sql === undefined ? [] : read.faults)];
  const constant = sql === undefined && faults.length === 0 ? toConstant(data, bind) : {};
  let load: LoadRows | undefined;
  const engine: Engine = {
    kind: 'page',
    async answer(context) {
      if (sql !== undefined && !load) throw new Error(`the plugin of page ${path} was not started`);
      const shown = load ? { [bind]: await load(context) } : constant;
      return toHtml(show(template, toTemplateContext(shown, context)), status);
    },
  };
  return {
    template,
    faults,
    routes: [
      toPageRoute(method, path, engine, status, {
        ...wellShaped<PageRouteOptions>(given, routeShapes),
        input: read.input,
        declaredAt,
      }),
    ],
    ...(sql !== undefined && {
      async prepare(database) {
        const prepared = await prepareRows({ sql, params: read.params, returns }, database);
        if (!prepared.ok) return prepared.faults;
        load = prepared.load;
        return [];
      },
    }),
  };
}

/** Makes the route of a page with a handler. */
export function toPageHandlerPart({ options, declaredAt }: PageHandlerDeclaration, show: Show): Part {
  const { path, template, handler } = options;
  const given = isOptions(options.given) ? options.given : {};
  const { status = 200, method = 'GET', input, maxBodyBytes } = given;
  const engine: Engine = {
    kind: 'page',
    async answer(context) {
      const result = await handler(context.input, context.request);
      // Without a body there is nothing to show; the dispatcher knows what a reply is.
      if (result instanceof Reply && result.body === undefined) return result;
      const reply = result instanceof Reply ? result : new Reply(result, status);
      if (!isMap(reply.body)) throw new TypeError('the handler of a page returned no map of names to values');
      const html = show(template, toTemplateContext(reply.body, context));
      return toHtml(html, reply.status, reply.headers);
    },
  };
  return {
    template,
    faults: checkPageHandler(options.given, handler),
    routes: [
      toPageRoute(method, path, engine, status, {
        ...wellShaped<PageRouteOptions>(given, routeShapes),
        ...(input !== undefined && { input }),
        ...(maxBodyBytes !== undefined && { maxBodyBytes }),
        declaredAt,
        // `reply(404, …)` shows the template, too.
        facts: { client: false, failsAs: [media('text/html')] },
      }),
    ],
  };
}

const mediaType = 'text/html; charset=utf-8';

function toPageRoute(
  method: Method,
  path: string,
  engine: Engine,
  status: number,
  options: EngineRouteOptions,
): Route {
  return toRoute(method, path, engine, {
    // For browsers.
    facts: { client: false },
    ...options,
    // A status that is none is a fault already.
    ...(hasContent(status) && { output: { [status]: media('text/html') } }),
  });
}

const encoder = new TextEncoder();

function toHtml(html: string, status: number, headers: ResponseHeaders = {}): RouteResponse {
  return new RouteResponse(status, { kind: 'bytes', bytes: encoder.encode(html), mediaType }, headers);
}

/** A copy as JSON has it: what is shown does not change with the object it came from. */
function toConstant(data: unknown, bind: string): TemplateContext {
  if (data === undefined) return {};
  const copy: unknown = JSON.parse(JSON.stringify(data));
  return { ...(isMap(copy) && copy), [bind]: copy };
}

function pathNames(path: unknown): readonly string[] {
  const parsed = typeof path === 'string' ? parsePath(path) : undefined;
  return parsed?.ok ? parsed.segments.flatMap((one) => (one.kind === 'literal' ? [] : [one.name])) : [];
}
