import type { Route, RouteTable } from '@waymark/contract';
import { toClientParts } from './client-parts.ts';
import { kyImport, withoutExports } from './runtime-source.ts';

/** Options of `toClient`. */
export interface ToClientOptions {
  /** Name of the application, for the comments of the client. */
  readonly title: string;
}

/**
 * Writes the source of a typed client as one TypeScript module whose only import is `ky`, with a method for each
 * operation. The same table always gives the same text, laid out as this repository's formatter would.
 *
 * @param table a route table, or routes, whose control plane then lies under `/_svc`
 * @throws {DeclarationError} when the table would not freeze, or a schema refers to something that it does not hold
 */
export function toClient(table: RouteTable | Iterable<Route>, { title }: ToClientOptions): string {
  const { header, runtime, application, control } = toClientParts(table, title);
  return [
    `${header}\n${kyImport}`,
    runtime.met,
    application.types,
    control?.types ?? '',
    application.factory,
    control ? withoutExports(control.factory) : '',
    withoutExports(runtime.inner),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
