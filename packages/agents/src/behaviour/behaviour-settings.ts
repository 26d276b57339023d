import { createHash } from 'node:crypto';
import { type InputShape, toRoute } from '@waymark/contract';
import { checkScopes, docstring, type Shape, wellShaped } from '@waymark/contract/declaring';
import type { BehaviourDeclaration, BehaviourOptions } from './behaviour.ts';

/** A declared behaviour with every default filled in. */
export interface BehaviourSettings {
  readonly name: string;
  readonly description: string;
  /** What it is as a tool: the description, or what its function says of itself. */
  readonly summary: string;
  /** Undefined: any object. */
  readonly input: InputShape | undefined;
  readonly tools: readonly string[];
  readonly context: readonly string[];
  readonly scopes: readonly string[];
  readonly exposeScopes: readonly string[];
  readonly maxSteps: number;
  readonly tokenBudget: number | null;
  readonly model: string;
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly exposeAt: string;
  readonly tool: boolean;
  readonly public: boolean;
  /** Changes with the options and the function. */
  readonly codeVersion: string;
  readonly declaredAt: string;
  readonly body: BehaviourDeclaration['body'];
}

/** What each option holds. */
export const behaviourShapes: Readonly<Record<keyof BehaviourOptions, Shape>> = {
  ...{ description: 'text', tools: 'texts', context: 'texts' },
  // Looked at as scopes, and as the input of a route.
  ...{ scopes: 'any', exposeScopes: 'any', input: 'any' },
  ...{ maxSteps: 'number', tokenBudget: 'number', maxTokens: 'number', temperature: 'number' },
  ...{ model: 'text', exposeAt: 'text', tool: 'boolean', public: 'boolean', declaredAt: 'text' },
};

/** Fills the defaults. Options that are wrong count as left out: the check reports them. */
export function toBehaviourSettings(declaration: BehaviourDeclaration): BehaviourSettings {
  const { name, options, declaredAt, body } = declaration;
  const given = wellShaped(options as BehaviourOptions<InputShape | undefined>, behaviourShapes);
  const { scopes: wanted = [], exposeScopes: starters = wanted, description = '' } = given;
  // The description of the input: a schema of a library is no data.
  const { inputSchema } = toRoute(
    'POST',
    '/',
    { kind: 'behaviour' },
    {
      ...(given.input !== undefined && { input: given.input }),
    },
  );
  const scopes = checkScopes(wanted).length === 0 ? wanted : [];
  return {
    name,
    description,
    summary: description || docstring(body),
    input: given.input,
    tools: [...new Set(given.tools ?? [])],
    context: [...new Set(given.context ?? [])],
    scopes,
    exposeScopes: checkScopes(starters).length === 0 ? starters : scopes,
    maxSteps: given.maxSteps ?? 50,
    tokenBudget: given.tokenBudget ?? null,
    model: given.model ?? 'default',
    maxTokens: given.maxTokens ?? 16_000,
    temperature: given.temperature ?? null,
    exposeAt: given.exposeAt ?? `/behaviours/${name.replaceAll('_', '-')}`,
    tool: given.tool ?? true,
    public: given.public ?? false,
    codeVersion: createHash('sha256')
      .update(JSON.stringify([name, { ...given, input: inputSchema }, String(body)]))
      .digest('base64url')
      .slice(0, 16),
    declaredAt,
    body,
  };
}
