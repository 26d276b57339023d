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

/** Finds the devices of a table: what their owner serves as two sockets, `…/stream` out and `…/ws` in. */
export function toDevices(table: RouteTable): readonly Device[] {
  const routes = [...table].filter(({ facts }) => facts.device !== undefined);
  const sockets = new Map(
    routes.filter(({ socket }) => socket).map((route) => [table.pathOf(route), route.facts.device ?? '']),
  );
  const paths = new Set(routes.filter(({ socket }) => !socket).map((route) => table.pathOf(route)));
  const names = NameSet.forMembers();
  return [...sockets].flatMap(([stream, name]): readonly Device[] => {
    const path = stream.slice(0, -'/stream'.length);
    if (!stream.endsWith('/stream') || !sockets.has(`${path}/ws`)) return [];
    return [{ name: names.takeStable(name, path), path, camera: paths.has(`${path}/frames`) }];
  });
}
