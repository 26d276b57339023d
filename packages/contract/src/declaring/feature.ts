import type { Plugin } from '../engine/plugin.ts';
import type { RuleBook } from './rule-book.ts';

/**
 * One word of the language that applications are declared in: a method of the application, and the pure function that it
 * hands over to.
 *
 *     { method: 'camera', declare: camera, options: 1, title: (name) => `camera "${name}"` }
 */
export interface Kind<D = unknown> {
  /** The name of the method. */
  readonly method: string;
  /**
   * Makes the declaration, which is data alone. Its arguments are those of the method, with the place of the call as
   * `declaredAt` among the options. Programs without types pass anything: it keeps what it is given, and the check of the
   * plugin says what is wrong with it.
   */
  readonly declare: (...given: never[]) => D;
  /**
   * Which of the arguments holds the options, counted from 0. Where a call takes none, the place is written into the
   * declaration itself.
   */
  readonly options?: number | ((given: readonly unknown[]) => number);
  /** Names one call in messages: `camera "door"`; `method` by default. Whatever is no text comes as one. */
  readonly title?: (...given: readonly string[]) => string;
  /** Puts the arguments of a call with several forms in the order of `declare`; as they are. */
  readonly arrange?: (given: readonly unknown[]) => readonly unknown[];
  /** What the method returns; the application. A method, because those are compared both ways: it is for one kind. */
  gives?(declaration: D): unknown;
}

/**
 * What a package adds to an application: the words of its own, and what becomes of the declarations.
 *
 * @typeParam S what its plugin has to know of the application's settings
 */
export interface Feature<D = unknown, S = unknown> {
  /** The name under which an application keeps the declarations; unique. */
  readonly name: string;
  readonly kinds: readonly Kind<D>[];
  /** What holds for its declarations; its checks give these codes. */
  readonly rules?: RuleBook;
  /**
   * Makes one plugin of everything declared, in the order of the calls; also of nothing. Without it, the declarations
   * are for the application itself. Must not throw: what is wrong is found by the plugin's `check`.
   *
   * A method, because those are compared both ways: a list holds features of any declarations.
   */
  plugin?(declarations: readonly D[], settings: S): Plugin;
}
