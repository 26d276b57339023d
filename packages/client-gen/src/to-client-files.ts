import type { Route, RouteTable } from '@waymark/contract';
import { toClientParts } from './client-parts.ts';
import { toImport, toReExport } from './module-imports.ts';
import { exportedNames, kyImport, withoutExports } from './runtime-source.ts';
import type { ToClientOptions } from './to-client.ts';

/** What a client is made with; the rest of the runtime is its own. */
const makers = new Set(['connect', 'connectRuns', 'toBehaviour', 'connectDevice']);

/** How a client of several files is laid out. */
export interface ToClientFilesOptions extends ToClientOptions {
  /** The first file, without its ending; `client`. The others stand beside it: `client.control.ts`; `control.ts` of `index`. */
  readonly name?: string;
  /** How the files import each other: `ts` for Node.js, Deno, and compilers that allow it, `js` for others; `ts`. */
  readonly imports?: 'ts' | 'js';
}

/** One file of a client. */
export interface ClientFile {
  /** Beside the others: `client.runtime.ts`. */
  readonly name: string;
  readonly source: string;
}

/**
 * Writes the source of a typed client as files: the operations of the application, those of its control plane where
 * there are any, and what carries them out, whose only import is `ky`. All that an application's own code imports is in
 * the first. Together they are what `toClient` writes as one.
 *
 * @throws {DeclarationError} when the table would not freeze, or a schema refers to something that it does not hold
 */
export function toClientFiles(
  table: RouteTable | Iterable<Route>,
  { title, name = 'client', imports = 'ts' }: ToClientFilesOptions,
): readonly ClientFile[] {
  const { header, runtime, application, control } = toClientParts(table, title);
  const beside = (part: string): string => (name === 'index' ? part : `${name}.${part}`);
  const from = (part: string): string => `./${beside(part)}.${imports}`;
  const met = exportedNames(runtime.met);
  const runtimeNames = [...met, ...exportedNames(runtime.inner).filter(({ name }) => makers.has(name))];
  const join = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');
  const controlNames = [
    { name: 'ControlClient', value: false },
    { name: 'connectControl', value: true },
  ];
  const main = join([
    header,
    toImport(application, controlNames, from('control')) +
      toImport(application, runtimeNames, from('runtime')),
    (control ? `export type * from '${from('control')}';\n` : '') + toReExport(met, from('runtime')),
    application.types,
    application.factory,
  ]);
  return [
    { name: `${name}.ts`, source: main },
    ...(control
      ? [
          {
            name: `${beside('control')}.ts`,
            source: join([
              header,
              toImport(control, runtimeNames, from('runtime')),
              control.types,
              control.factory,
            ]),
          },
        ]
      : []),
    {
      name: `${beside('runtime')}.ts`,
      source: join([header, kyImport, runtime.met, withoutExports(runtime.inner, makers)]),
    },
  ];
}
