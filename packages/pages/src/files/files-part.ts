import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EngineRouteOptions, media, Type, toRoute } from '@waymark/contract';
import {
  asText,
  checkOptions,
  type Fault,
  type Finding,
  isOptions,
  type Shapes,
  wellShaped,
} from '@waymark/contract/declaring';
import { etag, ifNoneMatch, parsePath } from '@waymark/contract/route';
import type { PageFault } from '../page-rules.ts';
import type { Part } from '../part.ts';
import { isName } from './file-segments.ts';
import { filesEngine } from './files-engine.ts';
import { findHostFile, type HostFiles, type HostSide } from './host-files.ts';
import type { StaticFilesDeclaration, StaticFilesOptions } from './static-files.ts';

type OwnOptions = 'index' | 'cacheSecs';

const routeShapes: Readonly<Record<Exclude<keyof StaticFilesOptions, OwnOptions>, Shapes[string]>> = {
  // Looked at by what makes the route.
  scopes: 'any',
  ...{ summary: 'text', description: 'text' },
  timeoutMs: 'number',
  declaredAt: 'text',
};

const shapes: Readonly<Record<keyof StaticFilesOptions, Shapes[string]>> = {
  index: 'text',
  cacheSecs: 'number',
  ...routeShapes,
};

/** Makes the routes of a directory: all that is below the path, and with an index the path itself. */
export function toFilesPart(
  { name, options, declaredAt }: StaticFilesDeclaration,
  { keeps, program }: HostSide,
): Part {
  const { path, directory } = options;
  const given = isOptions(options.given) ? options.given : {};
  const { index, cacheSecs = defaultCacheSecs, scopes = [] } = given;
  const mount = typeof path === 'string' ? path.replace(/\/$/, '') : '';
  const root = findRoot(directory);
  // What not everybody may read must not be kept by what serves everybody.
  const audience = scopes.length > 0 ? 'private' : 'public';
  const cacheControl = `${audience}, max-age=${cacheSecs}`;
  const engine = filesEngine({ mount, root: root.path, index, cacheControl, keeps });
  const route: EngineRouteOptions = {
    summary: `Serves files below ${asText(path)}.`,
    ...wellShaped(given, routeShapes),
    declaredAt,
    facts: {
      answers: {
        ...{ 200: [media('*/*')], 206: [media('*/*')] },
        // A directory sends on to its index, below a slash.
        ...(index !== undefined && { 301: [] }),
      },
      fails: [412, 416],
      reads: {
        ...ifNoneMatch,
        'If-Match': 'Serves the file only if it is still the one of this `ETag`.',
        Range: 'Asks for a part, as `bytes=0-99`.',
      },
      sends: etag,
      client: false,
    },
  };
  const file = { [fileParam]: Type.String() };
  const routes = [toRoute('GET', `${mount}/{${fileParam}*}`, engine, { ...route, input: file })];
  if (index !== undefined && mount !== '') routes.push(toRoute('GET', mount, engine, route));
  return {
    routes,
    faults: [
      ...checkOptions(options.given, shapes),
      ...checkPath(path),
      ...(root.faults.length > 0 ? root.faults : checkKept(asText(directory), root.path(), keeps)),
      ...checkOwn(given),
    ],
    findings: root.faults.length > 0 ? [] : findProgram(name, asText(directory), root.path(), program),
  };
}

const defaultCacheSecs = 3_600;
const maxCacheSecs = 31_536_000;
const fileParam = 'file';

interface Root {
  readonly path: () => string;
  readonly faults: readonly PageFault[];
}

/** The real path of the directory, looked up once: what is served does not move with a link. */
function findRoot(directory: unknown): Root {
  const failed = (rule: string): Root => ({
    path: () => {
      throw new Error(rule);
    },
    faults: [
      {
        code: 'files-directory',
        rule,
        fix: 'name a directory that is there, relative to the working directory',
      },
    ],
  });
  if (typeof directory !== 'string' || directory === '') return failed('its directory is not a text');
  try {
    const path = realpathSync(resolve(directory));
    return statSync(path).isDirectory()
      ? { path: () => path, faults: [] }
      : failed(`"${directory}" is no directory`);
  } catch {
    return failed(`there is no directory "${directory}"`);
  }
}

function checkKept(directory: string, root: string, keeps: readonly HostFiles[]): readonly PageFault[] {
  const found = findHostFile(root, keeps);
  if (found === undefined) return [];
  const rule = `"${directory}" would hand out ${found}`;
  return [{ code: 'files-kept', rule, fix: 'keep that elsewhere, or serve a directory of its own' }];
}

function findProgram(
  name: string,
  directory: string,
  root: string,
  program: readonly HostFiles[],
): readonly Finding[] {
  const found = findHostFile(root, program);
  if (found === undefined) return [];
  const text = `staticFiles ${name} hands out the program: "${directory}" holds ${found}`;
  return [{ severity: 'warning', text, fix: 'serve a directory that holds only what callers may read' }];
}

function checkPath(path: unknown): readonly Fault[] {
  // The route does not see it: it is served below.
  if (typeof path !== 'string')
    return [{ code: 'files-path', rule: 'the path is not a text', fix: "write '/assets'" }];
  const parsed = parsePath(path);
  // A path that is none is reported with the route.
  if (!parsed.ok || parsed.segments.every(({ kind }) => kind === 'literal')) return [];
  const fault: PageFault = {
    code: 'files-path',
    rule: `"${path}" has parameters, which no file could see`,
    fix: 'write a path without parameters',
  };
  return [fault];
}

function checkOwn({ index, cacheSecs }: StaticFilesOptions): readonly PageFault[] {
  return [
    ...(typeof index === 'string' && !isName(index) ? [noIndex(index)] : []),
    ...(typeof cacheSecs === 'number' && !isSeconds(cacheSecs) ? [noSeconds(cacheSecs)] : []),
  ];
}

function noIndex(index: string): PageFault {
  return {
    code: 'files-index',
    rule: `index "${index}" is no name of a file`,
    fix: "write index: 'index.html'",
  };
}

function isSeconds(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maxCacheSecs;
}

function noSeconds(value: number): PageFault {
  const rule = `cacheSecs: ${value} is not a whole number of seconds from 0 to ${maxCacheSecs}`;
  return { code: 'files-cache', rule, fix: `write cacheSecs: ${defaultCacheSecs}, or leave it out` };
}
