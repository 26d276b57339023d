import type { Problem, Route } from '@waymark/contract';
import { type Fault, type Feature, toProblems } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import type { AddedPlugin } from '../check/check-parts.ts';
import type { Declarations } from './declarations.ts';
import type { Middleware } from './middleware.ts';

/** What an application has been told so far, in the order of the calls. */
export class DeclarationList {
  readonly #declared: ReadonlyMap<string, unknown[]>;
  readonly #plugins: AddedPlugin[] = [];
  readonly #middleware: Middleware[] = [];
  readonly #problems: Problem[] = [];

  constructor(features: readonly Feature[]) {
    this.#declared = new Map(features.map(({ name }) => [name, []]));
  }

  /** Keeps a declaration of a feature. */
  declare(feature: string, declaration: unknown): void {
    this.#declared.get(feature)?.push(declaration);
  }

  addRoute(route: Route): void {
    this.declare('routes', route);
  }

  addPlugin(plugin: Plugin, declaredAt: string): void {
    this.#plugins.push({ plugin, declaredAt });
  }

  use(middleware: Middleware): void {
    this.#middleware.push(middleware);
  }

  /** Keeps what is wrong with a call itself. */
  refuse(declaration: string, at: string, faults: readonly Fault[]): void {
    this.#problems.push(...toProblems(declaration, at, faults));
  }

  /** Copies it: what is declared later is for the next server. */
  copy(): Pick<Declarations, 'declared' | 'addedPlugins' | 'middleware' | 'callProblems'> {
    const declared = Object.fromEntries([...this.#declared].map(([name, list]) => [name, [...list]]));
    return {
      // Every feature has a list, and only what its kinds declare is kept there.
      declared: declared as unknown as Declarations['declared'],
      addedPlugins: [...this.#plugins],
      middleware: [...this.#middleware],
      callProblems: [...this.#problems],
    };
  }
}
