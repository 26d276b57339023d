import type { Route, RouteTable, Values } from '@waymark/contract';
import { type Dispatcher, jsonResponse, problemResponse, type RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { Fence, RunError } from '@waymark/contract/stores';
import type { EngineParts } from '../engine-parts.ts';
import { persist } from '../journal/persist.ts';
import type { RunTree } from '../journal/run-tree.ts';
import { noticesOfEnd } from '../notices.ts';
import { StoredRoot } from './stored-root.ts';

/** Routes of the newer release that the log names. */
const maxWarned = 1_000;

/** Table and dispatcher that stored calls are sent through again. */
export interface StoredRootsParts extends EngineParts {
  readonly table: RouteTable;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  today(principal: Principal): Principal | undefined;
}

/** Sends stored calls through the dispatcher again: to go on with a root, or to have its answer written by its driver. */
export class StoredRoots {
  readonly #parts: StoredRootsParts;
  /** Routes whose runs were left, and why. */
  readonly #warned = new Set<string>();

  constructor(parts: StoredRootsParts) {
    this.#parts = parts;
  }

  /** Goes on with a root that this process owns. @returns the answer of its route */
  async resume(tree: RunTree, fence: Fence, onStep: () => void = () => {}): Promise<RouteResponse> {
    const { root } = tree;
    const route = this.#parts.table.get(root.call?.route ?? '');
    if (!route)
      return this.#cannot(tree, fence, {
        code: 'declaration_gone',
        message: `route ${root.call?.route ?? ''} is gone`,
        status: 500,
      });
    const principal = this.#parts.today(root.principal);
    if (!principal)
      return this.#cannot(tree, fence, {
        code: 'caller_gone',
        message: `caller "${root.principal.id}" is gone`,
        status: 500,
      });
    const scopes = root.principal.scopes.filter((scope) => principal.scopes.includes(scope));
    return this.#send(route, { ...root.principal, scopes }, new StoredRoot(tree, fence, onStep));
  }

  /** The answer of a root that has ended or waits, in the words of its route. */
  async answer(tree: RunTree): Promise<RouteResponse> {
    const { root } = tree;
    const route = this.#parts.table.get(root.call?.route ?? '');
    const plain = { run_id: root.runId, status: root.status };
    if (root.status === 'running' || root.status === 'ready')
      return jsonResponse({ ...plain, status: 'running' }, 202);
    if (!route) {
      if (!root.error) return jsonResponse({ ...plain, output: root.output });
      const { message, status, code } = root.error;
      return problemResponse(status, message, { code, run: plain });
    }
    return this.#send(route, root.principal, new StoredRoot(tree));
  }

  async #send(route: Route, principal: Principal, stored: StoredRoot): Promise<RouteResponse> {
    const { dispatcher, newId } = this.#parts;
    const { tree, fence } = stored;
    // Validated, and JSON, when it was stored.
    const values = (tree.root.call?.values ?? {}) as Values;
    const response = await dispatcher.dispatch({
      ...{ route, principal, requestId: newId(), resume: stored },
      input: { by: 'arguments', values },
      via: tree.root.call?.via ?? 'http',
    });
    // Refused on the way: the declaration or the caller changed, and nobody works on the root.
    return !stored.taken && fence ? this.#refused(tree, fence, response) : response;
  }

  #refused(tree: RunTree, fence: Fence, { status, body }: RouteResponse): Promise<RouteResponse> {
    const code = status === 401 || status === 403 ? 'caller_gone' : 'declaration_gone';
    const detail = body.kind === 'problem' ? body.detail : `answered ${status}`;
    return this.#cannot(tree, fence, { code, message: `the run cannot go on: ${detail}`, status: 500 });
  }

  /** The answer to whoever made a root go that only an instance of the newer release goes on with. */
  left({ root }: RunTree): RouteResponse {
    const isKnown = this.#parts.table.get(root.call?.route ?? '') !== undefined;
    const who = isKnown ? 'of the newer release' : `that has "${root.spec.name}"`;
    const detail = `the run goes on at an instance ${who}`;
    return jsonResponse({ run_id: root.runId, status: 'running', detail }, 202);
  }

  /** Leaves a root to the newer release, where that has worked on it; ends it where this is the newest that did. */
  async #cannot(tree: RunTree, fence: Fence, error: RunError): Promise<RouteResponse> {
    const { store } = this.#parts;
    const left = await persist(this.#parts, tree.rootId, () => store.leave(fence));
    if (left === false) return this.fail(tree, fence, error);
    this.#warn(tree, error);
    return this.left(tree);
  }

  /** Once for each route and reason, however many runs there are of it. */
  #warn({ root }: RunTree, { code, message }: RunError): void {
    const route = root.call?.route ?? '';
    const about = `${code} ${route}`;
    if (this.#warned.has(about) || this.#warned.size >= maxWarned) return;
    this.#warned.add(about);
    this.#parts.log(
      'warn',
      'runs are left to the newer release, which had them: this one cannot go on with them',
      {
        ...{ route, code, run_id: root.runId, error: message },
      },
    );
  }

  /** Ends a root that cannot go on. */
  async fail(tree: RunTree, fence: Fence, error: RunError): Promise<RouteResponse> {
    const { store, emit } = this.#parts;
    const { runId, spec } = tree.root;
    const finish = { runId, status: 'failed', output: null, error } as const;
    const notices = noticesOfEnd(this.#parts, tree, finish);
    await persist(this.#parts, runId, async () => store.finish(fence, { ...finish, notices }));
    emit({ kind: 'run_finished', run_id: runId, name: spec.name, status: 'failed' });
    return problemResponse(error.status, error.message, {
      code: error.code,
      run: { run_id: runId, status: 'failed' },
    });
  }
}
