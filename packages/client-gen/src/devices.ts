import type { RouteTable } from '@waymark/contract';
import { NameSet } from './names.ts';

/** A device of the table, as the client's sockets see it. */
export interface Device {
  /** Its own name, as listings and paths have it. */
  readonly name: string;
  /** What its routes have in common: `/devices/door`. */
  readonly path: string;
  /** Takes frames; a sensor has readings alone. */
  readonly camera: boolean;
}

/** Finds the devices of a table: what device engines serve as two sockets, `…/stream` out and `…/ws` in. */
export function toDevices(table: RouteTable): readonly Device[] {
  const routes = [...table].filter(({ engine, path }) => engine.kind === 'device' && !path.includes('{'));
  const sockets = new Set(routes.filter(({ socket }) => socket).map((route) => table.pathOf(route)));
  const paths = new Set(routes.filter(({ socket }) => !socket).map((route) => table.pathOf(route)));
  const names = NameSet.forMembers();
  return [...sockets]
    .filter((path) => path.endsWith('/stream'))
    .map((path) => path.slice(0, -'/stream'.length))
    .filter((path) => sockets.has(`${path}/ws`))
    .map((path) => ({
      name: names.takeStable(path.slice(path.lastIndexOf('/') + 1), path),
      path,
      camera: paths.has(`${path}/frames`),
    }));
}
