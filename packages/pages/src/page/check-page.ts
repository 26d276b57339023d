import { checkOptions, type Fault, isOptions, nearestOr, type Shapes } from '@waymark/contract/declaring';
import type { PageFault } from '../page-rules.ts';
import { type PageOptions, type PageRouteOptions, pageReturns } from './page.ts';
import { commonNames, isMap } from './page-context.ts';
import type { PageHandlerOptions } from './page-handler.ts';

/** The options of every route that a page takes. */
export const routeShapes: Readonly<Record<keyof PageRouteOptions, Shapes[string]>> = {
  // Looked at by what makes the route.
  scopes: 'any',
  ...{ summary: 'text', description: 'text', deprecated: 'text' },
  timeoutMs: 'number',
  strictQuery: 'boolean',
  declaredAt: 'text',
};

const pageShapes: Readonly<Record<keyof PageOptions, Shapes[string]>> = {
  // Looked at below.
  ...{ sql: 'any', params: 'any', data: 'any' },
  returns: pageReturns,
  bind: 'text',
  status: 'number',
  method: 'any',
  ...routeShapes,
};

const handlerShapes: Readonly<Record<keyof PageHandlerOptions<object>, Shapes[string]>> = {
  input: 'any',
  status: 'number',
  method: 'any',
  maxBodyBytes: 'number',
  ...routeShapes,
};

/** Finds what is wrong with the options of a page, before its statement is compared with a database. */
export function checkPage(given: PageOptions): readonly Fault[] {
  const shaped = checkOptions(given, pageShapes);
  if (!isOptions(given)) return shaped;
  const { sql, params, data, bind = 'data', status } = given;
  return [
    ...shaped,
    ...(sql !== undefined && data !== undefined ? [twoSources] : []),
    ...(sql !== undefined && (typeof sql !== 'string' || sql.trim() === '') ? [noSql] : []),
    ...(sql === undefined && params !== undefined ? [paramsAlone] : []),
    ...(data === undefined ? [] : checkData(data)),
    ...(typeof bind === 'string' ? checkBind(bind) : []),
    ...checkStatus(status),
  ];
}

/** Finds what is wrong with the options of a page that has a handler. */
export function checkPageHandler(given: PageHandlerOptions<object>, handler: unknown): readonly Fault[] {
  return [
    ...checkOptions(given, handlerShapes),
    ...(typeof handler === 'function' ? [] : [withoutHandler]),
    ...checkStatus(isOptions(given) ? given.status : undefined),
  ];
}

/** Finds what is wrong with the name of a template. */
export function checkTemplate(template: unknown, names: readonly string[]): readonly PageFault[] {
  const known = typeof template === 'string' && names.some((name) => isNamed(name, template));
  if (known) return [];
  const rule = typeof template === 'string' ? `unknown template "${template}"` : 'its template is not a text';
  if (typeof template !== 'string')
    return [{ code: 'page-template', rule, fix: 'name a file below the templates of the application' }];
  const shown = [...new Set(names.flatMap((name) => [name, name.replace(/\.\w+$/, '')]))];
  const fix = `add ${template.replace(/\.\w+$/, '')}.hbs to the templates of the application`;
  return [{ code: 'page-template', rule, ...nearestOr(fix, template, shown) }];
}

function isNamed(name: string, template: string): boolean {
  return name === template || name.replace(/\.\w+$/, '') === template;
}

/** The same as a handler route says. */
const withoutHandler: Fault = {
  code: 'handler-missing',
  rule: 'has no handler',
  fix: 'write the handler as the last argument, after the options',
};

const twoSources: PageFault = {
  code: 'page-source',
  rule: 'it has sql and data, and shows only one of them',
  fix: 'take one out, or work both out in a pageHandler',
};

const noSql: PageFault = {
  code: 'page-sql',
  rule: 'its SQL is not a text, or an empty one',
  fix: 'write one SELECT',
};

const paramsAlone: PageFault = {
  code: 'page-params',
  rule: 'it has params and no sql',
  fix: 'take them out, or write the sql that they are for',
};

function checkData(data: unknown): readonly PageFault[] {
  const text = toJson(data);
  if (text === undefined)
    return [
      {
        code: 'page-data',
        rule: 'its data is not JSON',
        fix: 'write a value without functions, circles and BigInts, or use a pageHandler',
      },
    ];
  const taken = isMap(data) ? commonNames.find((name) => Object.hasOwn(data, name)) : undefined;
  return taken === undefined ? [] : [takenName(`its data has a member "${taken}"`)];
}

/** @returns undefined for what JSON cannot hold */
function toJson(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

function checkBind(bind: string): readonly PageFault[] {
  if (commonNames.some((name) => name === bind)) return [takenName(`what it shows is called "${bind}"`)];
  return /^[A-Za-z_]\w*$/.test(bind) && bind !== '__proto__'
    ? []
    : [{ code: 'page-bind', rule: `"${bind}" is no name that a template can write`, fix: 'write a word' }];
}

function takenName(rule: string): PageFault {
  const fix = `take another name: every template has ${commonNames.join(' and ')}`;
  return { code: 'page-bind', rule, fix };
}

function checkStatus(status: unknown): readonly PageFault[] {
  if (typeof status !== 'number' || hasContent(status)) return [];
  const rule = `${status} is not the status of an answer with content`;
  return [{ code: 'page-status', rule, fix: 'write a number from 200 to 599' }];
}

/** Whether an answer of a status is final and has content. */
export function hasContent(status: unknown): boolean {
  if (typeof status !== 'number' || !Number.isInteger(status)) return false;
  return status >= 200 && status <= 599 && status !== 204 && status !== 205 && status !== 304;
}
