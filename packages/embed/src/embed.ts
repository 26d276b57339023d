import type { RequestListener, Server } from 'node:http';
import { createRouteTable, DeclarationError, type Problem, type RouteTable } from '@waymark/contract';
import { isError, toProblemLine } from '@waymark/contract/declaring';
import type { Dispatcher } from '@waymark/contract/engine';
import { startPlugins } from '@waymark/core-routes';
import { type Attachment, attachDoor, type Door } from '@waymark/http';
import { closeAll } from './close-all.ts';
import type { EmbedOptions } from './embed-options.ts';
import { checkEmbedded, checkForm } from './embed-rules.ts';
import { makeParts } from './make-parts.ts';
import { noticeMount } from './notice-mount.ts';

/** A table at work in somebody's server, as `embed` returns it. Nothing of it needs its `this`. */
export interface Embedded {
  /**
   * Middleware for `app.use` of express and alike: `app.use('/api', waymark.middleware)`, with `mountPath: '/api'`. A path
   * that the table does not know goes on to the next one, untouched, and so does one with the mount path in other case.
   */
  readonly middleware: Door['middleware'];
  /**
   * Gives a request listener of `node:http` for an application with pages of its own, which are left untouched: its
   * listener, the handler of Fastify's `serverFactory`, or Next's. Without it other paths are 404.
   */
  readonly listener: (application?: Parameters<Door['beside']>[0]) => RequestListener;
  /** Handler of the `upgrade` event. A path that the table does not know goes on to `next`, or is 404. */
  readonly upgrade: Door['upgrade'];
  /**
   * Takes the upgrades of a server, and has `close` close it, too; returns the server. To be called before it listens.
   * Upgrades of paths that the table does not know are left to other listeners of the server, or are 404.
   */
  readonly attach: <S extends Server>(server: S) => S;
  /** The routes, frozen: `toOpenApi(waymark.table, …)` describes them. */
  readonly table: RouteTable;
  /** Dispatcher, for calls from inside: `callTool(waymark.dispatcher, …)`. */
  readonly dispatcher: Dispatcher;
  /**
   * Drains and stops: requests under way are answered, new ones are 503, sockets close with 1001, attached servers close
   * with all their connections, then the plugins stop. Resolves within `shutdownTimeoutMs` and a second, never rejects, and
   * gives the same promise each time.
   */
  readonly close: () => Promise<void>;
}

/**
 * Puts routes and plugins into a server that is there already. Resolves when the plugins have started.
 *
 * Without `authenticate` and `principalOf` nobody is authenticated; without `controlRule` the control plane is for callers
 * with the scope `svc:admin` alone.
 *
 * @throws {DeclarationError} with everything that is wrong; warnings are logged
 * @throws {Error} a plugin failed to start; the message names it, and those before it were stopped
 */
export async function embed(options: EmbedOptions): Promise<Embedded> {
  const { table, warnings } = checkedTable(options);
  const parts = makeParts(options, table);
  const { door, dispatcher, log } = parts;
  for (const problem of warnings) log('warn', toProblemLine(problem), { code: problem.code });
  const attached: Attachment[] = [];
  const { plugins = [], mountPath = '', shutdownTimeoutMs = 25_000 } = options;
  const started = await startPlugins(plugins, parts.host).catch(async (error: unknown) => {
    await parts.release();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= closeAll({ ...parts, started, attached }, shutdownTimeoutMs));
  await started.ready().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    middleware: noticeMount(door.middleware, { table, mountPath, log }),
    listener: (application) => (application ? door.beside(application) : door.listener()),
    upgrade: door.upgrade,
    attach: (server) => {
      attached.push(attachDoor(door, server));
      return server;
    },
    table,
    dispatcher,
    close,
  };
}

/** The table, frozen, and what is odd about it. */
function checkedTable(options: EmbedOptions): {
  readonly table: RouteTable;
  readonly warnings: readonly Problem[];
} {
  const malformed = checkForm(options);
  if (malformed.length > 0) throw new DeclarationError(malformed);
  const { routes = [], plugins = [] } = options;
  const table = createRouteTable([...routes, ...plugins.flatMap((plugin) => plugin.routes)], options);
  const problems = checkEmbedded(options, table);
  if (problems.some(isError)) throw new DeclarationError(problems.filter(isError));
  return { table: table.freeze(), warnings: problems };
}
