import { callSite, type Declaration } from '@waymark/contract/declaring';
import type { Fields } from '../fields/field.ts';

/** What a resource is declared with, besides its fields. */
export interface ResourceOptions {
  /** The name of the resource. */
  readonly table?: string;
  /** `id`, an integer that the database gives, unless it is among the fields. */
  readonly primaryKey?: string;
  /** Expose the five routes as agent tools; false. */
  readonly tools?: boolean;
  /** Stands for both of the next two; none. */
  readonly scopes?: readonly string[];
  /** To list and to get; `scopes`. */
  readonly readScopes?: readonly string[];
  /** To create, update and delete; `scopes`. */
  readonly writeScopes?: readonly string[];
  /** Make the table when there is none; true. */
  readonly createTable?: boolean;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** One declared resource. */
export type ResourceDeclaration = Declaration<
  'resource',
  { readonly fields: Fields; readonly given: Omit<ResourceOptions, 'declaredAt'> }
>;

/**
 * Declares five routes over one table: list, get, create, update and delete.
 *
 *     resource('tickets', { title: 'string', urgent: Type.Boolean({ default: false }) }, { tools: true })
 *
 * @param fields `integer number string boolean json` or a schema each; `Type.Optional` may be left out and may be null
 */
export function resource(name: string, fields: Fields, options: ResourceOptions = {}): ResourceDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(resource), ...given } = Object(options) as ResourceOptions;
  return { kind: 'resource', name, options: { fields, given }, declaredAt };
}
