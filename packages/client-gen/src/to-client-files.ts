import type { Route, RouteTable } from '@waymark/contract';
import { toClientParts } from './client-parts.ts';
import { toImport, toReExport } from './module-imports.ts';
import { exportedNames, kyImport, withoutExports } from './runtime-source.ts';
import type { ToClientOptions } from './to-client.ts';

/** What a client is made with; the rest of the runtime is its own. */
const makers = new Set([
  ...['connect', 'connectRuns', 'toBehaviour', 'connectFeed', 'connectAgents', 'connectDevice'],
]);

/** Options of `toClientFiles`. */
export interface ToClientFilesOptions extends ToClientOptions {
  /**
   * Name of the first file without `.ts`, default `client`; the others are `client.control.ts` and so on, with `index`
   * just `control.ts`.
   */
  readonly name?: string;
  /**
   * Ending in the imports between the files: `ts`, the default, for Node.js, Deno and compilers that allow it, else
   * `js`.
   */
  readonly imports?: 'ts' | 'js';
}

/** Generated file of a client. */
export interface ClientFile {
  /** File name, without a folder: `client.runtime.ts`. */
  readonly name: string;
  readonly source: string;
}

/**
 * Writes the source of a typed client as several files: the operations of the application, those of its control plane if
 * any, and the runtime, whose only import is `ky`. Code that uses the client imports the first file alone. Together they
 * equal the one module of `toClient`.
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
